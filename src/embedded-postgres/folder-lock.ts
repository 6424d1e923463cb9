import { closeSync, constants, fchownSync, ftruncateSync, writeSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from './account.js'
import { hasCode } from './errors.js'
import { lockFile } from './file-lock.js'

/**
 * Makes this process the only owner of a folder until it unlocks it or ends, even by a kill.
 * @param account the user who may later start the program without root.
 * @returns a function that unlocks the folder.
 * @throws Error if another running process owns the folder, also one of another container.
 */
export const lockFolder = (folder: string, account: Account | undefined): Promise<() => Promise<void>> =>
  process.platform === 'linux' ? lockByFile(folder, account) : lockByPid(folder)

const ownName = () => `${process.pid} ${hostname()}\n`

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
  writeSync(file, ownName())
  return async () => closeSync(file)
}

/** The time that an owner has to write its name into its file, and between two reads. */
const WRITE_TIMEOUT_MS = 1000
const READ_INTERVAL_MS = 20

/** The process that a file names. While its owner starts, the file may name a former one. */
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

/** Without flock the file is the lock: it names its owner, which may have been killed. */
async function lockByPid(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'owner.lock')
  const [pid] = (await readFile(path, 'utf8').catch(() => '')).split(' ')
  if (Number(pid) > 0 && isRunning(Number(pid))) throw inUse(folder, `the process with the pid ${pid}`)
  await writeFile(path, ownName())
  return () => rm(path, { force: true })
}
