import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hasCode } from './errors.js'
import { commandLine, isAlive, pidExists, pollUntil } from './processes.js'
import type { Binaries } from './run.js'
import { terminate } from './terminate.js'

/** The content of postmaster.pid, which a server writes into its data directory. */
export interface PostmasterFile {
  pid: number
  ready: boolean
}

/** Reads postmaster.pid. Undefined if it does not exist or is empty. */
export function readPostmasterFile(data: string): PostmasterFile | undefined {
  const lines = readText(join(data, 'postmaster.pid')).split('\n')
  const pid = Number(lines[0])
  return Number.isInteger(pid) && pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined
}

/** A server setting that identifies the server of this data directory by its command line. */
export function markerOption(data: string): string {
  return `ssl_backend.data_dir=${data}`
}

/**
 * Stops orphaned processes that still use the data: the server of a killed process, or the backends
 * of a killed server. Only the owner of the folder may call it, and only while it runs no server on
 * the data.
 */
export async function stopOrphan(
  data: string,
  binaries: Binaries,
  log: (message: string) => void
): Promise<void> {
  await stopServer(data, binaries, log)
  await killBackends(data, log)
}

async function stopServer(data: string, binaries: Binaries, log: (message: string) => void): Promise<void> {
  const pid = readPostmasterFile(data)?.pid
  if (pid === undefined) return removeEmptyPostmasterFile(data)
  // PostgreSQL replaces the file of an exited process, after checking the shared memory that it
  // names.
  if (!pidExists(pid)) return
  if (!serves(pid, data)) {
    // But it takes any process with this pid for a server, even one that has exited.
    await rm(join(data, 'postmaster.pid'), { force: true })
    return
  }
  log(`Stopping the PostgreSQL server (pid ${pid}) that a killed process left behind`)
  await terminate(pid, () => serves(pid, data), binaries)
}

/** Time limit for killed processes to exit. */
const KILL_TIMEOUT_MS = 5000

/**
 * Kills the backends of a killed server. An idle backend exits, but one that executes a statement
 * continues, and PostgreSQL refuses to start until it has exited. Their uncommitted work is lost in
 * any case, so they need no orderly shutdown. Linux only: on other systems the start is retried
 * until they have exited.
 */
async function killBackends(data: string, log: (message: string) => void): Promise<void> {
  if (process.platform !== 'linux') return
  const backends = () => processIds().filter((pid) => serves(pid, data))
  const found = backends()
  if (found.length === 0) return
  log(`Killing the processes that a killed PostgreSQL server left behind (${found.join(', ')})`)
  const gone = await pollUntil(() => {
    const left = backends()
    for (const pid of left) kill(pid)
    return left.length === 0
  }, KILL_TIMEOUT_MS)
  if (!gone) throw new Error(`Processes of a killed PostgreSQL server do not exit: ${backends().join(', ')}`)
}

/** A younger empty postmaster.pid is kept. */
const MIN_EMPTY_FILE_AGE_MS = 2000

const processIds = () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has exited meanwhile.
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/**
 * Whether a process is a server on this data: pids are reused, so program and folder are checked.
 */
function serves(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false
  if (process.platform === 'win32') return commandLine(pid).includes('postgres.exe')
  if (process.platform !== 'linux') return commandLine(pid).includes(markerOption(data))
  try {
    const program = basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '')
    return program === 'postgres' && isSameFolder(`/proc/${pid}/cwd`, data)
  } catch (error) {
    // Root in a container may lack the permission to inspect another user's process.
    return hasCode(error, 'EACCES', 'EPERM') && commandLine(pid).split('\0').includes(markerOption(data))
  }
}

function isSameFolder(one: string, other: string): boolean {
  const [first, second] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })]
  return first.ino === second.ino && first.dev === second.dev
}

/** A crash or a full disk can leave the file empty, and then PostgreSQL does not start. */
async function removeEmptyPostmasterFile(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid')
  const info = statSync(file, { throwIfNoEntry: false })
  // A new file may belong to a server that is starting. The start is retried.
  if (info && Date.now() - info.mtimeMs > MIN_EMPTY_FILE_AGE_MS) await rm(file, { force: true })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  }
}
