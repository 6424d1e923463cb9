import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPostmasterFile, stopOrphan } from './orphan.js'
import { pollUntil } from './processes.js'
import { type ServerProcess, type ServerSetup, spawnServer } from './server-process.js'

/** A server that accepts connections. */
export interface EmbeddedServer {
  url: string
  pid: number | undefined
  port: number
  /** Resolves with its exit code or signal when its process has exited. */
  exited: Promise<string>
  stop(): Promise<void>
}

/** Options for starting a server and waiting for its database. */
export interface StartSetup extends ServerSetup {
  /** Waits until the database on this port accepts queries, until the deadline. Returns its URL. */
  open(port: number, deadline: number): Promise<string>
  /** Default: any free port. */
  port?: number
}

/** A start that fails for a transient reason is retried for this long. */
const START_TIMEOUT_MS = 10_000
/** Time limit for crash recovery. */
const RECOVERY_TIMEOUT_MS = 120_000
/** A start that takes longer is logged. */
const SLOW_START_MS = 3000
const RETRY_DELAY_MS = 100

/** Another server on the data is shutting down, or the port was taken meanwhile. */
const transientFailure =
  /lock file "postmaster.pid"|pre-existing shared memory block|could not create any TCP\/IP sockets|could not bind/

/**
 * Starts the server on the data, after stopping an orphaned one. Retries transient failures. A
 * failed start leaves no process behind.
 */
export async function startServer(setup: StartSetup): Promise<EmbeddedServer> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    await stopOrphan(setup.layout.data, setup.binaries, setup.log)
    const port = setup.port ?? (await freePort())
    const server = await spawnServer(setup, port)
    const ready = (await waitUntilReady(server, setup)) && (await connect(server, port, setup))
    if (ready) return ready
    await throwUnlessTransient(server, setup, deadline)
    await sleep(RETRY_DELAY_MS)
  }
}

async function waitUntilReady(server: ServerProcess, { layout, log }: StartSetup): Promise<boolean> {
  const started = performance.now()
  let isLogged = false
  await pollUntil(() => {
    if (!isLogged && performance.now() - started > SLOW_START_MS) {
      isLogged = true
      log('PostgreSQL is still starting. After a crash it first recovers its data.')
    }
    return !server.running() || isReady(server, layout.data)
  }, RECOVERY_TIMEOUT_MS)
  return server.running() && isReady(server, layout.data)
}

function isReady(server: ServerProcess, data: string): boolean {
  const file = readPostmasterFile(data)
  return file?.pid === server.pid && file?.ready === true
}

/** Undefined if the server has exited meanwhile. */
async function connect(
  server: ServerProcess,
  port: number,
  setup: StartSetup
): Promise<EmbeddedServer | undefined> {
  try {
    const url = await Promise.race([
      setup.open(port, performance.now() + START_TIMEOUT_MS),
      server.exited.then(() => undefined)
    ])
    if (url === undefined) return undefined
    return { url, port, pid: server.pid, exited: server.exited, stop: () => server.terminate() }
  } catch (error) {
    if (!server.running()) return undefined
    await server.terminate()
    const reason = error instanceof Error ? error.message : String(error)
    throw failure(`PostgreSQL does not respond (${reason})`, setup, await server.lastLines())
  }
}

async function throwUnlessTransient(
  server: ServerProcess,
  setup: StartSetup,
  deadline: number
): Promise<void> {
  const isHanging = server.running()
  await server.terminate()
  const lines = await server.lastLines()
  if (!isHanging && performance.now() < deadline && (server.killed() || transientFailure.test(lines))) return
  throw failure('PostgreSQL did not start', setup, lines)
}

function failure(what: string, { layout }: StartSetup, lines: string): Error {
  return new Error(`${what}. Its data folder: ${layout.root}. Its last messages (${layout.log}):\n${lines}`)
}

/**
 * A free port of the loopback interface. If it is taken before the server starts, the start is
 * retried.
 */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
