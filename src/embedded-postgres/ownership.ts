import { constants } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './errors.js'
import { createFile } from './files.js'
import { identify, isSameProcess, type ProcessId } from './processes.js'

/** The right of this process, and of no other, to work in a data folder. */
export interface Ownership {
  /** Gives the folder free for the next process. */
  release(): Promise<void>
}

const released = JSON.stringify({ released: true })

/**
 * Makes this process the only owner of the folder, or refuses when another one that lives owns it.
 *
 * Owners are numbered: the highest `owner.<n>` counts, and the file of the next number can be created by one
 * process only. A stale record is never deleted before a newer one stands, so of two processes that both find
 * it stale, neither can take away what the other has just gained.
 */
export async function takeOwnership(folder: string): Promise<Ownership> {
  for (;;) {
    const last = await highest(folder)
    if (last > 0) await assertFree(folder, last)
    const mine = last + 1
    if (!(await create(join(folder, `owner.${mine}`)))) continue
    if ((await highest(folder)) === mine) {
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

async function highest(folder: string): Promise<number> {
  return Math.max(0, ...(await numbers(folder)))
}

async function create(file: string): Promise<boolean> {
  try {
    // Readable for all: whoever is refused, or takes over, may be another user.
    await createFile(file, JSON.stringify(identify(process.pid)), 0o644)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    await rm(file, { force: true }).catch(() => {})
    throw error
  }
}

async function release(file: string): Promise<void> {
  // A record that cannot be changed any more does no harm: it is stale as soon as this process ends.
  const { O_WRONLY, O_TRUNC, O_NOFOLLOW = 0 } = constants
  await writeFile(file, released, { flag: O_WRONLY | O_TRUNC | O_NOFOLLOW }).catch(() => {})
}

async function removeBelow(folder: string, mine: number): Promise<void> {
  for (const number of await numbers(folder)) {
    if (number < mine) await rm(join(folder, `owner.${number}`), { force: true })
  }
}

async function assertFree(folder: string, number: number): Promise<void> {
  const owner = await readOwner(join(folder, `owner.${number}`))
  if (!owner || !isSameProcess(owner)) return
  throw new Error(
    `The data folder ${folder} is in use by the process with the pid ${owner.pid}. ` +
      'Stop that process, or set DATA_DIR to another folder.'
  )
}

/** The recorded owner. A record may be empty for a moment while its owner writes it, and for ever after a crash. */
async function readOwner(file: string): Promise<ProcessId | undefined> {
  const deadline = performance.now() + 1000
  do {
    const owner = parseOwner(await readRecord(file))
    if (owner) return owner.pid === undefined ? undefined : { pid: owner.pid, started: owner.started ?? null }
    await sleep(20)
  } while (performance.now() < deadline)
  return undefined
}

/** The record is gone when a newer one stands, so the next look at the folder will tell more. */
async function readRecord(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return released
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
