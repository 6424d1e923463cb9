import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { asUser } from './account.js'
import { type Binaries, program } from './binaries.js'
import { ownDataName } from './cluster.js'
import type { Layout } from './layout.js'
import { markOf } from './orphan.js'
import type { Account } from './passwd.js'
import { environment, lastLines } from './run.js'
import { terminate } from './terminate.js'

/** A server process that was started; it may not take connections yet. */
export interface ServerProcess {
  pid: number | undefined
  /** True until the process has ended. */
  running(): boolean
  /** True when it ended because of a signal. */
  killed(): boolean
  /** Resolves when it has ended, with how: its exit code or its signal. */
  ended: Promise<string>
  /** The last lines it has written since its start. */
  lastLines(): Promise<string>
  /** Ends it and resolves when it is gone. */
  end(): Promise<void>
}

/** What it takes to start a server process. */
export interface ServerSetup {
  layout: Layout
  binaries: Binaries
  account: Account | undefined
  settings: Readonly<Record<string, string>>
  log: (message: string) => void
}

const largestLog = 10 * 1024 * 1024

/**
 * Starts the server in a session of its own, so that a Ctrl-C or a signal to our process group does not end it
 * while requests are still being answered, and with a file for its messages, which outlives us.
 */
export async function spawnServer(setup: ServerSetup, port: number): Promise<ServerProcess> {
  const { layout, binaries, account } = setup
  await rotate(layout.log)
  const log = await openLog(layout.log)
  try {
    if (account) await log.chown(account.uid, account.gid)
    const { size } = await log.stat()
    const child = spawn(program(binaries, 'postgres'), serverArguments(setup, port), {
      cwd: layout.data,
      env: environment(),
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
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  child.unref()
  const { pid } = child
  const running = () => pid !== undefined && child.exitCode === null && child.signalCode === null
  return {
    pid,
    running,
    killed: () => child.signalCode !== null,
    ended,
    lastLines: async () => failure?.message ?? (await lines()),
    end: async () => {
      if (pid !== undefined) await terminate(pid, running, binaries)
    }
  }
}

function serverArguments({ layout, account, settings }: ServerSetup, port: number): string[] {
  const all = {
    // The same on every machine, unless the caller wants it otherwise.
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
    ownDataName(layout.data, account),
    ...[...options, markOf(layout.data)].flatMap((option) => ['-c', option])
  ]
}

/** Not through a symbolic link: whoever owns the folder could make root write, and give away, any file. */
function openLog(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants
  return open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
}

async function rotate(log: string): Promise<void> {
  const size = await stat(log).then(
    (info) => info.size,
    () => 0
  )
  if (size > largestLog) await rename(log, `${log}.1`)
}

async function tail(log: string, start: number): Promise<string> {
  return lastLines((await readFile(log)).subarray(start).toString())
}
