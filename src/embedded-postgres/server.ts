import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPostmasterFile, stopOrphan } from './orphan.js'
import { waitFor } from './processes.js'
import { type ServerProcess, type ServerSetup, spawnServer } from './server-process.js'

/** A server that takes connections. */
export interface Server {
  url: string
  pid: number | undefined
  port: number
  /** Resolves when its process has ended, with how: its exit code or its signal. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** What it takes to start a server and to see that it works. */
export interface StartSetup extends ServerSetup {
  /** Opens the database of the server on this port and answers with its URL; tries until the deadline. */
  open(port: number, deadline: number): Promise<string>
  /** The port to listen on; any free one unless given. */
  port?: number
}

/** For how long a start that fails for a passing reason is repeated. */
const patience = 10_000
/** For how long a living server may replay what was written before a crash. */
const recoveryPatience = 120_000

/** Failures that pass: the remains of a server that is just ending, or a port that someone else took first. */
const passing =
  /lock file "postmaster.pid"|pre-existing shared memory block|could not create any TCP\/IP sockets|could not bind/

/**
 * Starts the server on the data, after stopping one that a killed process left on it, and repeats that for a
 * while when the reason of a failure passes. A failed start leaves no process behind.
 */
export async function startServer(setup: StartSetup): Promise<Server> {
  const deadline = performance.now() + patience
  for (;;) {
    await stopOrphan(setup.layout.data, setup.binaries, setup.log)
    const port = setup.port ?? (await freePort())
    const server = await spawnServer(setup, port)
    const opened = (await becomesReady(server, setup)) && (await connect(server, port, setup))
    if (opened) return opened
    await giveUpUnlessPassing(server, setup, deadline)
    await sleep(100)
  }
}

async function becomesReady(server: ServerProcess, { layout, log }: StartSetup): Promise<boolean> {
  const started = performance.now()
  let told = false
  await waitFor(() => {
    if (!told && performance.now() - started > 3000) {
      told = true
      log('PostgreSQL is still starting; after a crash it first restores what was written')
    }
    return !server.running() || isReady(server, layout.data)
  }, recoveryPatience)
  return server.running() && isReady(server, layout.data)
}

function isReady(server: ServerProcess, data: string): boolean {
  const file = readPostmasterFile(data)
  return file?.pid === server.pid && file?.ready === true
}

/** Undefined when the server ended meanwhile. */
async function connect(server: ServerProcess, port: number, setup: StartSetup): Promise<Server | undefined> {
  try {
    const url = await Promise.race([
      setup.open(port, performance.now() + patience),
      server.ended.then(() => undefined)
    ])
    if (url === undefined) return undefined
    return { url, port, pid: server.pid, ended: server.ended, stop: () => server.end() }
  } catch (error) {
    if (!server.running()) return undefined
    await server.end()
    const reason = error instanceof Error ? error.message : String(error)
    throw failure(`PostgreSQL does not answer (${reason})`, setup, await server.lastLines())
  }
}

async function giveUpUnlessPassing(
  server: ServerProcess,
  setup: StartSetup,
  deadline: number
): Promise<void> {
  const hangs = server.running()
  await server.end()
  const lines = await server.lastLines()
  if (!hangs && performance.now() < deadline && (server.killed() || passing.test(lines))) return
  throw failure('PostgreSQL did not start', setup, lines)
}

function failure(what: string, { layout }: StartSetup, lines: string): Error {
  return new Error(`${what}. Its data folder: ${layout.root}. Its last messages (${layout.log}):\n${lines}`)
}

/** A port of the loopback interface that is free now; whoever takes it before our server makes us try another. */
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
