/** Writes an entry, together with others; resolves when it is committed, rejects when it is not. */
export type Grouped<T> = (entry: T) => Promise<void>

interface Waiting<T> {
  entry: T
  resolve: () => void
  reject: (cause: unknown) => void
}

/** Entries of one statement at most. */
const largest = 500

/**
 * Makes writers that come while a write is under way share the next one: one statement and one commit for all of them, and none
 * waits for longer than two. An entry that cannot be written fails alone.
 */
export function grouped<T>(write: (entries: readonly T[]) => Promise<void>): Grouped<T> {
  const waiting: Waiting<T>[] = []
  let isWriting = false

  async function writeGroup(group: readonly Waiting<T>[]): Promise<void> {
    try {
      await write(group.map(({ entry }) => entry))
      for (const { resolve } of group) resolve()
    } catch (cause) {
      if (group.length === 1) group[0]?.reject(cause)
      else for (const each of group) await writeGroup([each])
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) await writeGroup(waiting.splice(0, largest))
    isWriting = false
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject })
      if (!isWriting) void writeAll()
    })
}
