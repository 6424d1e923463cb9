import { GivenUp, RemoteUnavailable } from './remote-unavailable.js'

/** Does work when there is a place for it. */
type InPlace = <T>(patience: AbortSignal, work: () => Promise<T>) => Promise<T>

/**
 * So many places for work. Who finds none free waits for one, first come, first served, and leaves the queue when the patience is over.
 * @param waiting how many may wait; others are turned away.
 */
export function createPlaces(count: number, waiting: number, retryAfter: number): InPlace {
  let free = count
  const queue = new Set<() => void>()

  function enter(patience: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (patience.aborted) return reject(new GivenUp())
      if (free > 0) {
        free--
        return resolve()
      }
      if (queue.size >= waiting) return reject(new RemoteUnavailable('QUEUE_FULL', retryAfter))
      const leaveQueue = () => {
        queue.delete(come)
        patience.removeEventListener('abort', giveUp)
      }
      const come = () => {
        leaveQueue()
        resolve()
      }
      const giveUp = () => {
        leaveQueue()
        reject(new GivenUp())
      }
      queue.add(come)
      patience.addEventListener('abort', giveUp)
    })
  }

  /** The place goes to who waits longest; nobody who comes meanwhile can take it. */
  function leave(): void {
    const [next] = queue
    if (next) next()
    else free++
  }

  return async (patience, work) => {
    await enter(patience)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
