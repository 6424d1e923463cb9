import { setImmediate as turn } from 'node:timers/promises'

/** Milliseconds that long work may hold the event loop at once; every other request waits that long. */
const share = 10

/** Makes something of each entry, in order, and lets others have their turn whenever that has held the event loop for a while. */
export async function mapYielding<T, R>(
  entries: Iterable<T>,
  make: (entry: T, at: number) => R
): Promise<R[]> {
  const made: R[] = []
  await forEachYielding(entries, (entry, at) => made.push(make(entry, at)))
  return made
}

/** Does something with each entry, in order, and yields to the event loop like `mapInTurns`. */
export async function forEachYielding<T>(
  entries: Iterable<T>,
  run: (entry: T, at: number) => unknown
): Promise<void> {
  let began = performance.now()
  let at = 0
  for (const entry of entries) {
    run(entry, at++)
    if (performance.now() - began < share) continue
    await turn()
    began = performance.now()
  }
}
