import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { asUser } from './account.js'
import { dataPathForServer } from './cluster.js'
import type { DataLayout } from './layout.js'
import { markerOption } from './orphan.js'
import type { Account } from './passwd.js'
import { type Binaries, lastLines, programEnvironment, programPath } from './run.js'
import { terminate } from './terminate.js'

/** A started server process. It may not accept connections yet. */
export interface ServerProcess {
  pid: number | undefined
  /** Whether the process has not exited. */
  running(): boolean
  /** Whether a signal ended it. */
  killed(): boolean
  /** Resolves with its exit code or signal when it has exited. */
  exited: Promise<string>
  /** The last lines that it has logged since its start. */
  lastLines(): Promise<string>
  /** Terminates it and resolves when it has exited. */
  terminate(): Promise<void>
}

/** Options for starting a server process. */
export interface ServerSetup {
  layout: DataLayout
  binaries: Binaries
  account: Account | undefined
  settings: Readonly<Record<string, string>>
  log: (message: string) => void
}

const MAX_LOG_BYTES = 10 * 1024 * 1024

/**
 * Starts the server in its own session, so that Ctrl-C or a signal to the process group of this
 * process does not stop it while requests are in flight. It logs to a file, which works even after
 * this process has exited.
 */
export async function spawnServer(setup: ServerSetup, port: number): Promise<ServerProcess> {
  const { layout, binaries, account } = setup
  await rotate(layout.log)
  const log = await openLog(layout.log)
  try {
    if (account) await log.chown(account.uid, account.gid)
    const { size } = await log.stat()
    const child = spawn(programPath(binaries, 'postgres'), serverArguments(setup, port), {
      cwd: layout.data,
      env: programEnvironment(),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
      ...asUser(account)
    })
    return watch(child, binaries, () => tail(layout.log, size))
  } finally {
    await log.close()
  }
}

function watch(child: ChildProcess, binaries: Binaries, lines: () => Promise<string>): ServerProcess {
  let failure: Error | undefined
  child.on('error', (error) => {
    failure = error
  })
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  child.unref()
  const { pid } = child
  const running = () => pid !== undefined && child.exitCode === null && child.signalCode === null
  return {
    pid,
    running,
    killed: () => child.signalCode !== null,
    exited,
    lastLines: async () => failure?.message ?? (await lines()),
    terminate: async () => {
      if (pid !== undefined) await terminate(pid, running, binaries)
    }
  }
}

function serverArguments({ layout, account, settings }: ServerSetup, port: number): string[] {
  const all = {
    // Independent of the machine, unless the caller sets them.
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: ''
  }
  const options = Object.entries(all).map(([name, value]) => `${name}=${value}`)
  return [
    '-D',
    dataPathForServer(layout.data, account),
    ...[...options, markerOption(layout.data)].flatMap((option) => ['-c', option])
  ]
}

/**
 * Does not follow a symbolic link, with which the owner of the folder could make root write to any
 * file.
 */
function openLog(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants
  return open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
}

async function rotate(log: string): Promise<void> {
  const size = await stat(log).then(
    (info) => info.size,
    () => 0
  )
  if (size > MAX_LOG_BYTES) await rename(log, `${log}.1`)
}

async function tail(log: string, start: number): Promise<string> {
  return lastLines((await readFile(log)).subarray(start).toString())
}
