import { once } from 'node:events'
import { closeSync, constants, fchownSync, ftruncateSync, writeSync } from 'node:fs'
import { readFile, stat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from './account.js'
import { hasCode } from './errors.js'
import { lockFile } from './file-lock.js'

/**
 * Makes this process the only owner of a folder until it unlocks it or ends, even by a kill.
 * @param account the user who may later start the program without root.
 * @returns a function that unlocks the folder.
 * @throws Error if another running process owns the folder, also a process of another container.
 */
export const lockFolder = (folder: string, account: Account | undefined): Promise<() => Promise<void>> =>
  process.platform === 'linux' ? lockByFile(folder, account) : lockBySocket(folder)

const inUse = (folder: string, owner: string) =>
  new Error(
    `The data folder ${folder} is in use by ${owner}. Stop that process, or set DATA_DIR to another folder.`
  )

/** The lock is on a file that names its owner. */
async function lockByFile(folder: string, account: Account | undefined): Promise<() => Promise<void>> {
  const path = join(folder, 'owner.lock')
  // This process may be root, and the owner of the folder may have created a link.
  const file = await lockFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW)
  if (file === undefined) throw inUse(folder, await ownerIn(path))
  if (account) fchownSync(file, account.uid, account.gid)
  ftruncateSync(file)
  writeSync(file, `${process.pid} ${hostname()}\n`)
  return async () => closeSync(file)
}

/** The time that an owner has to write its name into its file, and between two reads. */
const WRITE_TIMEOUT_MS = 1000
const READ_INTERVAL_MS = 20

/** The process that a file names. While its owner starts, the file may name a former owner. */
async function ownerIn(path: string): Promise<string> {
  for (const end = performance.now() + WRITE_TIMEOUT_MS; ; await pause(READ_INTERVAL_MS)) {
    const [pid, host = ''] = (await readFile(path, 'utf8')).trim().split(' ')
    if (host !== '' && host !== hostname()) return `the process with the pid ${pid} on the host ${host}`
    if (host !== '' && isRunning(Number(pid))) return `the process with the pid ${pid}`
    if (performance.now() > end) return 'another process'
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** The lock is a listening socket, which the system closes with its process. */
async function lockBySocket(folder: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const address = addressOf(`ssl-backend-${dev}-${ino}`)
  for (;;) {
    const server = await listen(address)
    if (server) return () => new Promise((resolve) => server.close(() => resolve()))
    const owner = await ownerAt(address)
    if (owner === undefined) continue
    throw inUse(folder, owner)
  }
}

/** On Windows an address that exists as long as a process listens on it, elsewhere a file. */
function addressOf(name: string): string {
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

/** Undefined if the address is in use. */
async function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.on('error', () => {}).end(String(process.pid)))
  try {
    await once(server.listen(address), 'listening')
    return server.unref()
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return undefined
    throw error
  }
}

/** An owner that is stopped or busy does not name itself in time. */
const NAME_TIMEOUT_MS = 10_000

/** The process that listens. Undefined if the process has ended. */
async function ownerAt(address: string): Promise<string | undefined> {
  const socket = connect(address)
  try {
    const [pid] = await once(socket, 'data', { signal: AbortSignal.timeout(NAME_TIMEOUT_MS) })
    return `the process with the pid ${pid}`
  } catch (error) {
    if ((error as Error).name === 'AbortError') return 'another process'
    // The file belongs to a killed process.
    if (hasCode(error, 'ECONNREFUSED')) await unlink(address).catch(() => {})
    return undefined
  } finally {
    socket.destroy()
  }
}
