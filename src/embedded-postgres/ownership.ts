import { constants } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './errors.js'
import { createFile } from './files.js'
import { identify, isSameProcess, type ProcessId } from './processes.js'

/** Exclusive ownership of a data folder by this process. */
export interface Ownership {
  /** Releases the folder for the next process. */
  release(): Promise<void>
}

const RELEASED = JSON.stringify({ released: true })

/**
 * Makes this process the only owner of the folder.
 *
 * Owners are numbered: the highest `owner.<n>` counts, and only one process can create the file of
 * the next number. A stale record is deleted only when a newer one exists, so two processes that
 * both find it stale cannot both become owner.
 * @throws Error if another running process owns the folder.
 */
export async function acquireOwnership(folder: string): Promise<Ownership> {
  for (;;) {
    const last = await highestNumber(folder)
    if (last > 0) await assertNotOwned(folder, last)
    const mine = last + 1
    if (!(await create(join(folder, `owner.${mine}`)))) continue
    if ((await highestNumber(folder)) === mine) {
      await removeBelow(folder, mine)
      return { release: () => release(join(folder, `owner.${mine}`)) }
    }
    await rm(join(folder, `owner.${mine}`), { force: true })
  }
}

async function numbers(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => (/^owner\.\d+$/.test(name) ? [Number(name.slice('owner.'.length))] : []))
}

async function highestNumber(folder: string): Promise<number> {
  return Math.max(0, ...(await numbers(folder)))
}

async function create(file: string): Promise<boolean> {
  try {
    // Readable for all users, because the next process may run as another user.
    await createFile(file, JSON.stringify(identify(process.pid)), 0o644)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    await rm(file, { force: true }).catch(() => {})
    throw error
  }
}

async function release(file: string): Promise<void> {
  // A record that cannot be changed does no harm: it becomes stale when this process exits.
  const { O_WRONLY, O_TRUNC, O_NOFOLLOW = 0 } = constants
  await writeFile(file, RELEASED, { flag: O_WRONLY | O_TRUNC | O_NOFOLLOW }).catch(() => {})
}

async function removeBelow(folder: string, mine: number): Promise<void> {
  for (const number of await numbers(folder)) {
    if (number < mine) await rm(join(folder, `owner.${number}`), { force: true })
  }
}

async function assertNotOwned(folder: string, number: number): Promise<void> {
  const owner = await readOwner(join(folder, `owner.${number}`))
  if (!owner || !isSameProcess(owner)) return
  throw new Error(
    `The data folder ${folder} is in use by the process with the pid ${owner.pid}. ` +
      'Stop that process, or set DATA_DIR to another folder.'
  )
}

/** Time limit for the owner of an empty record to write it. */
const READ_TIMEOUT_MS = 1000

/**
 * The recorded owner. A record is empty while its owner writes it, and permanently after a crash.
 */
async function readOwner(file: string): Promise<ProcessId | undefined> {
  const deadline = performance.now() + READ_TIMEOUT_MS
  do {
    const owner = parseOwner(await readRecord(file))
    if (owner) return owner.pid === undefined ? undefined : { pid: owner.pid, started: owner.started ?? null }
    await sleep(20)
  } while (performance.now() < deadline)
  return undefined
}

/** A missing record has been replaced by a newer one, so the caller looks again. */
async function readRecord(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return RELEASED
    throw error
  }
}

function parseOwner(text: string): Partial<ProcessId> | undefined {
  try {
    return JSON.parse(text) as Partial<ProcessId>
  } catch {
    return undefined
  }
}
