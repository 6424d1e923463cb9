import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Binaries } from './binaries.js'
import { hasCode } from './errors.js'
import { commandLine, isAlive, isListed, waitFor } from './processes.js'
import { terminate } from './terminate.js'

/** What a server has written about itself into its data directory. */
export interface PostmasterFile {
  pid: number
  ready: boolean
}

/** Reads postmaster.pid; undefined when there is none, or nothing in it yet. */
export function readPostmasterFile(data: string): PostmasterFile | undefined {
  const lines = readText(join(data, 'postmaster.pid')).split('\n')
  const pid = Number(lines[0])
  return Number.isInteger(pid) && pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined
}

/** The setting that makes a server recognizable, by its command line, as the one of this data directory. */
export function markOf(data: string): string {
  return `ssl_backend.data_dir=${data}`
}

/**
 * Ends what still runs on the data although the process that started it is gone: the server, or the backends of a
 * server that was killed. To be called by the owner of the folder only, while it runs no server on the data.
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
  // PostgreSQL itself replaces the file of a process that is gone, after a look at the shared memory named in it.
  if (!isListed(pid)) return
  if (!serves(pid, data)) {
    // It would, however, take any process with this number, even one that has ended, for a server.
    await rm(join(data, 'postmaster.pid'), { force: true })
    return
  }
  log(`Stopping the PostgreSQL (pid ${pid}) that a killed process left behind`)
  await terminate(pid, () => serves(pid, data), binaries)
}

/** How long a killed process may take to be gone. */
const KILL_TIMEOUT_MS = 5000

/**
 * Kills the backends of a server that was killed. Each ends by itself once it waits for its client, but one that
 * executes a statement goes on with it, and until then PostgreSQL refuses to start again. Nothing that they have not
 * committed is kept, so they need not end in order. Linux only: elsewhere the start is tried until they are gone.
 */
async function killBackends(data: string, log: (message: string) => void): Promise<void> {
  if (process.platform !== 'linux') return
  const backends = () => processIds().filter((pid) => serves(pid, data))
  const found = backends()
  if (found.length === 0) return
  log(`Ending the processes that a killed PostgreSQL left behind (${found.join(', ')})`)
  const gone = await waitFor(() => {
    const left = backends()
    for (const pid of left) kill(pid)
    return left.length === 0
  }, KILL_TIMEOUT_MS)
  if (!gone) throw new Error(`Processes of a killed PostgreSQL do not end: ${backends().join(', ')}`)
}

const processIds = () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has just ended.
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** Numbers are reused, so a living process is only taken for our server if it is a postgres in this very folder. */
function serves(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false
  if (process.platform === 'win32') return commandLine(pid).includes('postgres.exe')
  if (process.platform !== 'linux') return commandLine(pid).includes(markOf(data))
  try {
    const program = basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '')
    return program === 'postgres' && isSameFolder(`/proc/${pid}/cwd`, data)
  } catch (error) {
    // Root in a container may lack the right to look at another user's process closely.
    return hasCode(error, 'EACCES', 'EPERM') && commandLine(pid).split('\0').includes(markOf(data))
  }
}

function isSameFolder(one: string, other: string): boolean {
  const [first, second] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })]
  return first.ino === second.ino && first.dev === second.dev
}

/** A crash of the machine or a full disk can leave it empty, and PostgreSQL does not start over an empty one. */
async function removeEmptyPostmasterFile(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid')
  const info = statSync(file, { throwIfNoEntry: false })
  // A young one may belong to a server that is about to start; the start is tried again.
  if (info && Date.now() - info.mtimeMs > 2000) await rm(file, { force: true })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  }
}
