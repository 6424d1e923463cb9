import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Maximum milliseconds to block the event loop, for which every other request waits. */
const MAX_BLOCK_MS = 10

/** Maps entries in order. Yields to the event loop every {@link MAX_BLOCK_MS}. */
export async function mapYielding<T, R>(
  entries: Iterable<T>,
  map: (entry: T, index: number) => R
): Promise<R[]> {
  const mapped: R[] = []
  await forEachYielding(entries, (entry, index) => mapped.push(map(entry, index)))
  return mapped
}

/** Runs a function for each entry in order. Yields to the event loop like {@link mapYielding}. */
export async function forEachYielding<T>(
  entries: Iterable<T>,
  run: (entry: T, index: number) => unknown
): Promise<void> {
  let blockedSince = performance.now()
  let index = 0
  for (const entry of entries) {
    run(entry, index++)
    if (performance.now() - blockedSince < MAX_BLOCK_MS) continue
    await yieldToEventLoop()
    blockedSince = performance.now()
  }
}
