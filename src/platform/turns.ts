import { createSemaphore } from './semaphore.js'

/** Pieces of work that may wait for their turn. */
const MAX_QUEUE = 1000

/** Runs a piece of synchronous work when it is its turn. */
export type TakeTurn = (signal: AbortSignal, work: () => void) => Promise<void>

/**
 * Runs heavy synchronous work one piece at a time, and leaves the event loop to everything else for as long as the piece took. Without
 * that, pieces of several requests run in a row between two steps of any other request, which takes half a dozen steps.
 * @throws PermitRefused when too many wait, or when the signal aborts before it is the work's turn.
 */
export function createTurns(): TakeTurn {
  const semaphore = createSemaphore({ permits: 1, maxQueue: MAX_QUEUE })
  return async (signal, work) => {
    const release = await semaphore.acquire(signal)
    const begin = performance.now()
    // What the work goes on to do without waiting for anything, such as the validation of a body, is over by then.
    setImmediate(() => setTimeout(release, performance.now() - begin))
    work()
  }
}
