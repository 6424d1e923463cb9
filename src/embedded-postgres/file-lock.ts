import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerSetup } from './cluster.js'
import { hasCode } from './errors.js'
import { programEnvironment } from './programs.js'

/**
 * Locks a file with flock(2), which also excludes processes of other containers on the file. The
 * lock lasts until all processes that have the open file have closed it or ended. Node has no such
 * function, so the program flock locks the open file that it inherits.
 * @returns the descriptor of the open file; undefined while another open file has the lock.
 */
export async function lockFile(path: string, flags: string | number): Promise<number | undefined> {
  const file = openSync(path, flags, 0o600)
  try {
    const status = await flock(file)
    if (status === 0) return file
    if (status !== 1) throw new Error(`The program flock could not lock ${path} (${status}).`)
  } catch (error) {
    closeSync(file)
    throw error
  }
  closeSync(file)
  return undefined
}

/** Returns the exit code of the program, or its signal. */
async function flock(file: number): Promise<number | string> {
  const child = spawn('flock', ['-xn', '3'], {
    env: programEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', file]
  })
  try {
    const [code, signal] = await once(child, 'exit')
    return code ?? signal
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    throw new Error(
      'The program flock is missing, which locks the data folder. Install it (package util-linux), or set ' +
        'DATABASE_URL to a PostgreSQL 15 or newer instead.'
    )
  }
}

/** The pause between two attempts to lock the data. */
const RETRY_INTERVAL_MS = 100

/**
 * Locks the data for the processes of PostgreSQL, which inherit the open file: while one of them
 * runs, in any container, no other PostgreSQL starts on the data. Systems other than Linux have no
 * containers.
 * @throws Error if such processes still run at the deadline.
 */
export async function lockData(
  { layout: { root, password } }: ServerSetup,
  log: FileHandle,
  deadline: number
): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  for (let isLogged = false; ; await pause(RETRY_INTERVAL_MS)) {
    const lock = await lockFile(password, 'r+')
    if (lock !== undefined) return lock
    if (performance.now() > deadline)
      throw new Error(
        `A PostgreSQL whose program was killed still uses the database in ${root}, most likely in another container. ` +
          'Stop that container, end the processes of PostgreSQL, or set DATA_DIR to another folder.'
      )
    if (!isLogged) await log.write('Waits for processes of a former PostgreSQL.\n')
    isLogged = true
  }
}
