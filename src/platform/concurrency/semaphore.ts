/** A permit was refused: the queue is full, or the signal aborted. */
export class PermitRefused extends Error {
  override readonly name = 'PermitRefused'
  constructor(readonly reason: 'queue-full' | 'aborted') {
    super(reason)
  }
}

/** Limits concurrent work. */
export interface Semaphore {
  /** Number of callers in the queue. */
  readonly waiting: number
  /**
   * Waits for a permit in FIFO order. Returns the function that releases it.
   * @throws PermitRefused when the queue is full, or when the signal aborts first.
   */
  acquire(signal?: AbortSignal): Promise<() => void>
  /**
   * Runs work with a permit and releases it when the work has settled.
   * @throws PermitRefused
   */
  run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
}

export interface SemaphoreLimits {
  permits: number
  /** Maximum number of callers in the queue. */
  maxQueue: number
  /** Milliseconds to rest before a permit is released, by how long it was held. Default: none. */
  restMs?: (heldMs: number) => number
}

export function createSemaphore(limits: SemaphoreLimits): Semaphore {
  let free = limits.permits
  const queue = new Set<() => void>()

  // A permit passes directly to the first in the queue, so that no later caller can take it.
  function release(): void {
    const [next] = queue
    if (next) next()
    else free++
  }

  function acquire(signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const grant = () => {
        const heldSince = performance.now()
        let isHeld = true
        resolve(() => {
          if (!isHeld) return
          isHeld = false
          if (limits.restMs) setTimeout(release, limits.restMs(performance.now() - heldSince))
          else release()
        })
      }
      if (signal?.aborted) return reject(new PermitRefused('aborted'))
      if (free > 0) {
        free--
        return grant()
      }
      if (queue.size >= limits.maxQueue) return reject(new PermitRefused('queue-full'))
      const leave = () => {
        queue.delete(next)
        signal?.removeEventListener('abort', abort)
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
      signal?.addEventListener('abort', abort)
    })
  }

  async function run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
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
