/** A permit was refused: too many are waiting, or the signal aborted while this one waited. */
export class PermitRefused extends Error {
  override readonly name = 'PermitRefused'
  constructor(readonly reason: 'queue-full' | 'aborted') {
    super(reason)
  }
}

/** Limits how much work runs at once. */
export interface Semaphore {
  /** How many wait for a permit now. */
  readonly waiting: number
  /**
   * Waits for a permit, first come, first served, and returns the function that gives it back.
   * @throws PermitRefused when the queue is full, or when the signal aborts before there is a permit.
   */
  acquire(signal: AbortSignal): Promise<() => void>
  /**
   * Runs work with a permit and gives it back when the work has settled.
   * @throws PermitRefused
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export interface SemaphoreLimits {
  permits: number
  /** How many may wait for a permit. */
  maxQueue: number
  /** Milliseconds that a permit rests before it goes to the next, by how long it was held; without it none. */
  restMs?: (heldMs: number) => number
}

export function createSemaphore(limits: SemaphoreLimits): Semaphore {
  let free = limits.permits
  const queue = new Set<() => void>()

  // A permit goes to the first in the queue rather than back: nobody who comes meanwhile can take it.
  function release(): void {
    const [next] = queue
    if (next) next()
    else free++
  }

  function acquire(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const grant = () => {
        const since = performance.now()
        let isHeld = true
        resolve(() => {
          if (!isHeld) return
          isHeld = false
          if (limits.restMs) setTimeout(release, limits.restMs(performance.now() - since))
          else release()
        })
      }
      if (signal.aborted) return reject(new PermitRefused('aborted'))
      if (free > 0) {
        free--
        return grant()
      }
      if (queue.size >= limits.maxQueue) return reject(new PermitRefused('queue-full'))
      const leave = () => {
        queue.delete(next)
        signal.removeEventListener('abort', abort)
      }
      const next = () => {
        leave()
        grant()
      }
      const abort = () => {
        leave()
        reject(new PermitRefused('aborted'))
      }
      queue.add(next)
      signal.addEventListener('abort', abort)
    })
  }

  async function run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await acquire(signal)
    try {
      return await work()
    } finally {
      release()
    }
  }

  return {
    get waiting() {
      return queue.size
    },
    acquire,
    run
  }
}
