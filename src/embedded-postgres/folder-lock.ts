import { once } from 'node:events'
import { stat, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasCode } from './errors.js'

/**
 * Makes this process the only owner of a folder until it unlocks it or ends, even by a kill: the
 * lock is a listening socket, which the system closes with its process.
 * @returns a function that unlocks the folder.
 * @throws Error if another running process owns the folder.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const address = addressOf(`ssl-backend-${dev}-${ino}`)
  for (;;) {
    const server = await listen(address)
    if (server) return () => new Promise((resolve) => server.close(() => resolve()))
    const owner = await ownerAt(address)
    if (owner === undefined) continue
    throw new Error(
      `The data folder ${folder} is in use by ${owner}. Stop that process, or set DATA_DIR to another folder.`
    )
  }
}

/** An address that exists as long as a process listens on it; on other systems a file. */
function addressOf(name: string): string {
  if (process.platform === 'linux') return `\0${name}`
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

/** The process that listens. Undefined if there is none any more. */
async function ownerAt(address: string): Promise<string | undefined> {
  const socket = connect(address)
  try {
    const [pid] = await once(socket, 'data', { signal: AbortSignal.timeout(NAME_TIMEOUT_MS) })
    return `the process with the pid ${pid}`
  } catch (error) {
    if ((error as Error).name === 'AbortError') return 'another process'
    // The file of a killed process.
    if (hasCode(error, 'ECONNREFUSED') && !address.startsWith('\0')) await unlink(address).catch(() => {})
    return undefined
  } finally {
    socket.destroy()
  }
}
