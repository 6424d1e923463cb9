import { within } from '../platform/within.js'

/** Writes an entry, together with others; resolves with what the write answers when it is committed, rejects when it is not. */
export type Grouped<T, R> = (entry: T) => Promise<R>

export interface GroupedOptions<T, R> {
  write: (entries: readonly T[]) => Promise<R>
  /** How much an entry is; a group is no more than `largest`, or a single entry. */
  sizeOf: (entry: T) => number
  largest: number
  /** Entries that wait at most; further ones are rejected at once. */
  waiting: number
  /** Milliseconds that a write may take. */
  timeout: number
  /** Whether a write failed for what one of its entries holds. */
  isFaultOfEntry: (cause: unknown) => boolean
}

interface Waiting<T, R> {
  entry: T
  resolve: (result: R) => void
  reject: (cause: unknown) => void
}

/**
 * Makes writers that come while a write is under way share the next one: one statement and one commit for all of them. An entry
 * that cannot be written fails alone; when writing itself fails, or takes too long, its whole group does.
 */
export function grouped<T, R>(options: GroupedOptions<T, R>): Grouped<T, R> {
  const { write, sizeOf, largest, waiting: longest, timeout, isFaultOfEntry } = options
  const waiting: Waiting<T, R>[] = []
  let isWriting = false

  async function writeGroup(group: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const written = write(group.map(({ entry }) => entry))
      const result = await within(timeout, written, () => new Error('The write takes too long.'))
      for (const { resolve } of group) resolve(result)
    } catch (cause) {
      if (group.length > 1 && isFaultOfEntry(cause)) {
        const half = Math.ceil(group.length / 2)
        await writeGroup(group.slice(0, half))
        await writeGroup(group.slice(half))
      } else for (const { reject } of group) reject(cause)
    }
  }

  function nextGroup(): Waiting<T, R>[] {
    let size = 0
    const end = waiting.findIndex(({ entry }, at) => {
      size += sizeOf(entry)
      return at > 0 && size > largest
    })
    return waiting.splice(0, end < 0 ? waiting.length : end)
  }

  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) await writeGroup(nextGroup())
    isWriting = false
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= longest) return reject(new Error('Too much waits to be written.'))
      waiting.push({ entry, resolve, reject })
      if (!isWriting) void writeAll()
    })
}
