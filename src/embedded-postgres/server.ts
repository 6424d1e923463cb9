import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { asUser } from './account.js'
import { dataPathForServer, type ServerSetup } from './cluster.js'
import { hasCode } from './errors.js'
import { lockData } from './file-lock.js'
import {
  markerOption,
  readPostmasterFile,
  removePostmasterFile,
  stopOrphan,
  stopPostmaster
} from './postmaster.js'
import { lastLines, programEnvironment, programPath } from './programs.js'

/** Time limit of a start, which recovers the data after a crash. */
const READY_TIMEOUT_MS = 120_000
/** Transient failures are retried for this long. */
const RETRY_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 10

/** Above the ports that Linux gives to clients. */
const PORTS = [61_000, 65_536] as const

/** Statements of a killed server still run, or the port is in use. */
const transientFailure = /pre-existing shared memory block|could not create any TCP\/IP sockets/

/**
 * Starts the server on the data, after stopping an orphaned one. A failed start leaves no process.
 * @param failed is called when the server has exited unexpectedly.
 */
export async function startServer(setup: ServerSetup, failed: (error: Error) => void) {
  const { log: logPath } = setup.layout
  await stopOrphan(setup)
  const log = await openLog(setup)
  try {
    for (const deadline = performance.now() + RETRY_TIMEOUT_MS; ; await pause(POLL_INTERVAL_MS)) {
      const lock = await lockData(setup, log, deadline)
      await removePostmasterFile(setup.layout.data)
      const port = setup.settings.port ?? String(randomInt(...PORTS))
      const server = await spawnServer(setup, port, log, lock)
      if (await server.ready()) {
        server.onExit((reason) => failed(unexpectedExit(reason, logPath)))
        return { port, stop: server.stop }
      }
      await server.stop()
      const lines = lastLines(await readFile(logPath, 'utf8'))
      if (!transientFailure.test(lines) || performance.now() > deadline)
        throw new Error(`PostgreSQL did not start. Its last messages (${logPath}):\n${lines}`)
    }
  } finally {
    await log.close()
  }
}

/**
 * The server has its own session, so that Ctrl-C or a signal to the process group of this process
 * does not stop it while requests are in flight. The server logs to a file, which works even after
 * this process has exited.
 */
async function spawnServer(setup: ServerSetup, port: string, log: FileHandle, lock: number | undefined) {
  const { layout, binaries, account } = setup
  const child = spawn(programPath(binaries, 'postgres'), serverArguments(setup, port), {
    cwd: layout.data,
    env: programEnvironment(),
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log.fd, log.fd, ...(lock === undefined ? [] : [lock])],
    ...asUser(account)
  })
  await once(child, 'spawn').finally(() => lock !== undefined && closeSync(lock))
  child.unref()
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const exited = once(child, 'exit')
  let isStopping = false
  return {
    /** Whether it accepts connections; false when it has exited. */
    async ready(): Promise<boolean> {
      const deadline = performance.now() + READY_TIMEOUT_MS
      while (isRunning() && performance.now() < deadline) {
        const file = readPostmasterFile(layout.data)
        if (file?.pid === child.pid && file?.isReady) return true
        await pause(POLL_INTERVAL_MS)
      }
      return false
    },
    onExit(listener: (reason: string) => void) {
      void exited.then(([code, signal]) => isStopping || listener(signal ?? `exit code ${code}`))
    },
    async stop(): Promise<void> {
      isStopping = true
      if (!isRunning()) return
      child.ref()
      await stopPostmaster(setup, isRunning)
      await exited
    }
  }
}

function serverArguments(setup: ServerSetup, port: string): string[] {
  const options = Object.entries({
    // Independent of the machine, unless the caller sets them.
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...setup.settings,
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: ''
  }).map(([name, value]) => `${name}=${value}`)
  options.push(markerOption(setup.layout.data))
  return ['-D', dataPathForServer(setup), ...options.flatMap((option) => ['-c', option])]
}

/**
 * Opens a new log. The former log is kept next to the new log. Does not follow a symbolic link,
 * with which the owner of the folder could make root write to any file.
 */
async function openLog({ layout, binaries, account }: ServerSetup): Promise<FileHandle> {
  await rename(layout.log, `${layout.log}.1`).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
  const log = await open(layout.log, 'ax', 0o600)
  if (account) await log.chown(account.uid, account.gid)
  // Fails on a full disk, on which PostgreSQL cannot say why it does not start.
  await log.write(`PostgreSQL ${binaries.version} starts.\n`)
  return log
}

function unexpectedExit(reason: string, log: string): Error {
  return new Error(
    `The embedded PostgreSQL exited unexpectedly (${reason}). Its log is ${log}. ` +
      'Start this program again: all committed data is intact.'
  )
}
