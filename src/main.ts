import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Config, loadConfig } from '../fastify.config.js'
import { buildApp } from './app.js'
import { startEmbeddedPostgres } from './db/embedded/index.js'
import { migrate } from './db/migrate.js'
import { traceOf } from './platform/error-trace.js'

/** What was started, to be stopped in reverse order. */
const stops: (() => Promise<unknown>)[] = []
let stopping = false

async function start(config: Config): Promise<void> {
  const databaseUrl = config.database.url ?? (await startDatabase(config))
  await migrate(databaseUrl)
  const app = await buildApp(config, databaseUrl)
  stops.push(() => drain(app, config.limits.shutdownTimeout))
  await app.listen({ host: config.host, port: config.port })
  announce(config, app)
}

async function startDatabase({ database }: Config): Promise<string> {
  const embedded = await startEmbeddedPostgres({ dataDir: resolve(database.dataDir) })
  stops.push(() => embedded.stop())
  return embedded.url
}

/** Takes no new requests and finishes those under way, but for those that take longer than the time given. */
async function drain(app: FastifyInstance, patience: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), patience)
  await app.close()
  clearTimeout(cut)
}

/** Stops once, however often it is asked to; also what is still being started. */
async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  await started.catch(() => {})
  for (const each of stops.reverse()) await each().catch((error: unknown) => complain(error))
  process.exit(code)
}

function announce({ environment, publicUrl, tokens, database }: Config, app: FastifyInstance): void {
  if (tokens.verified) {
    app.log.info({ environment, publicUrl }, 'ready')
    return
  }
  process.stdout.write(`
Listening on   ${publicUrl}
Data           ${database.url ? 'in the database of DATABASE_URL' : resolve(database.dataDir)}
API pages      ${app.references.base('ssl-catalogue')}/docs
               ${app.references.base('ssl-order')}/docs
Tokens         ARE NOT VERIFIED in the environment ${environment}: anybody can claim to be anybody.

`)
}

function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0))
process.on('uncaughtException', (error) => {
  // Node itself would print the message, which may hold patient data, and leave the embedded PostgreSQL behind.
  complain(new Error(`Stopping after a fault of ours: ${JSON.stringify(traceOf(error))}`))
  void stop(1)
})

let started: Promise<void> = Promise.resolve()
try {
  started = start(loadConfig())
  await started
} catch (error) {
  complain(error)
  await stop(1)
}
