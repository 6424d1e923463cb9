import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Binaries } from './binaries.js'
import { hasCode } from './errors.js'
import { commandLine, isAlive, isListed } from './processes.js'
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
 * Ends a server that still runs on the data although the process that started it is gone. To be called by the
 * owner of the folder only.
 */
export async function stopOrphan(
  data: string,
  binaries: Binaries,
  log: (message: string) => void
): Promise<void> {
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
