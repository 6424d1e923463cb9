import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { migrate } from '../db/migrate.js'
import { logLine } from '../platform/logging/log-line.js'
import { logOutput } from '../platform/logging/log-output.js'
import type { Config } from '../settings/config.js'
import { loadConfig } from '../settings/load.js'

/** Registers a shutdown function. Shutdown functions run in reverse order. */
export type OnStop = (shutDown: () => Promise<unknown>) => void

/** Handles the error that ends the program. Its message states the remedy. */
export type OnFailure = (error: Error) => void

/**
 * Starts the embedded database, unless `DATABASE_URL` is set, runs the migrations and starts the
 * server.
 * @param signal ends a wait for another instance that migrates.
 * @throws ConfigError; AbortError; or an Error with a message that states the remedy.
 */
export async function start(onStop: OnStop, onFailure: OnFailure, signal: AbortSignal): Promise<void> {
  const config = loadConfig()
  await startTelemetry(config, onStop)
  // One address: for `localhost` Fastify would open a second server, without the connection rules.
  const { address } = await lookup(config.host)
  if (config.database.url === undefined) await checkPort(address, config.port)
  // Imports the server while its database starts; both take about as long.
  const [databaseUrl, { buildApp }] = await Promise.all([
    config.database.url ?? startDatabase(config, onStop, onFailure),
    import('../app.js')
  ])
  await migrate(databaseUrl, { warn: (message) => process.stderr.write(`${message}\n`), signal })
  const log = logOutput()
  const app = await buildApp(config, databaseUrl, { log })
  onStop(() => app.shutDown(config.shutdown))
  // Fastify logs the returned value, although its type only allows a string.
  const listenTextResolver = (url: string) => logLine('listening', { url }) as unknown as string
  await app.listen({ host: address, port: config.port, listenTextResolver })
  announce(config, app)
  // Flushed, so that the operator sees the lines of the start.
  log.flush()
}

/**
 * Fails if the port is in use, before the slow start of the embedded database. The server listens
 * only when it is ready.
 */
async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(port, host), 'listening')
  await once(server.close(), 'close')
}

/**
 * First, because instruments that were created earlier record nothing. Imports only enabled
 * modules.
 */
async function startTelemetry({ metrics, tracing }: Config, onStop: OnStop): Promise<void> {
  const { host, port } = metrics
  if (port !== undefined) {
    const { startMetrics } = await import('../telemetry/metrics.js')
    const server = await startMetrics({ host, port })
    onStop(() => server.close())
  }
  const { endpoint, sampleRatio } = tracing
  if (endpoint !== undefined) {
    const { startTracing } = await import('../telemetry/tracing.js')
    onStop(startTracing({ endpoint, sampleRatio }))
  }
}

async function startDatabase(
  { database, metrics }: Config,
  onStop: OnStop,
  failed: OnFailure
): Promise<string> {
  const { startEmbeddedPostgres } = await import('../embedded-postgres/index.js')
  const embedded = await startEmbeddedPostgres({
    dataDir: resolve(database.dataDir),
    // Error details contain the row, and so patient data.
    settings: { log_error_verbosity: 'terse' },
    failed
  })
  onStop(() => embedded.stop())
  if (metrics.port !== undefined) {
    const { observeDisk } = await import('../telemetry/process-metrics.js')
    observeDisk(resolve(database.dataDir))
  }
  return embedded.url
}

function announce({ environment, publicUrl, tokens, database }: Config, app: FastifyInstance): void {
  if (tokens.verified) {
    app.log.info(logLine('ready', { environment, publicUrl }))
    return
  }
  process.stdout.write(`
Open           ${publicUrl}/
Data           ${database.url ? 'in the database of DATABASE_URL' : resolve(database.dataDir)}
Tokens         ARE NOT VERIFIED in the environment ${environment}: anybody can impersonate any caller.

`)
}
