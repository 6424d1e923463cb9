import { setImmediate as turn } from 'node:timers/promises'

/** Milliseconds that long work may hold the event loop at once; every other request waits that long. */
const share = 10

/** Makes something of each entry, in order, and lets others have their turn whenever that has held the event loop for a while. */
export async function mapInTurns<T, R>(
  entries: Iterable<T>,
  make: (entry: T, at: number) => R
): Promise<R[]> {
  const made: R[] = []
  let began = performance.now()
  for (const entry of entries) {
    made.push(make(entry, made.length))
    if (performance.now() - began < share) continue
    await turn()
    began = performance.now()
  }
  return made
}
