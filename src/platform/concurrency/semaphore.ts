/** A permit was refused: a queue is full, that of all or that of the key, or the signal aborted. */
export class PermitRefused extends Error {
  override readonly name = 'PermitRefused'
  constructor(readonly reason: 'queue-full' | 'share-full' | 'aborted') {
    super(reason)
  }
}

/** Limits concurrent work. Work without a key has a share of its own. */
export interface Semaphore {
  /** Number of callers in the queue. */
  readonly waiting: number
  /**
   * Checks that work could now begin or wait.
   * @throws PermitRefused
   */
  check(key: string): void
  /**
   * Waits for a permit in FIFO order. Returns the function that releases it.
   * @throws PermitRefused when a queue is full, or when the signal aborts first.
   */
  acquire(signal?: AbortSignal, key?: string): Promise<() => void>
  /**
   * Runs work with a permit and releases it when the work has settled.
   * @throws PermitRefused
   */
  run<T>(signal: AbortSignal | undefined, work: () => Promise<T>, key?: string): Promise<T>
}

export interface SemaphoreLimits {
  permits: number
  /** Maximum number of callers in the queue. */
  maxQueue: number
  /** The share of a key: as many permits and waiting callers. Default: all. */
  share?: { permits: number; maxQueue: number }
  /** Milliseconds to rest before a permit is released, by how long it was held. Default: none. */
  restMs?: (heldMs: number) => number
}

interface Waiter {
  key: string | undefined
  grant(): void
}

export function createSemaphore({ permits, maxQueue, share, restMs }: SemaphoreLimits): Semaphore {
  let free = permits
  /** The keys of permits that are not free, once for each permit. */
  const held: (string | undefined)[] = []
  const queue = new Set<Waiter>()

  const countOf = (key: string, keys: Iterable<string | undefined>) =>
    [...keys].filter((each) => each === key).length
  const isFree = (key?: string) =>
    free > 0 && (!share || key === undefined || countOf(key, held) < share.permits)

  function check(key?: string): void {
    if (isFree(key)) return
    if (share && key !== undefined) {
      const waiting = countOf(
        key,
        [...queue].map((waiter) => waiter.key)
      )
      if (waiting >= share.maxQueue) throw new PermitRefused('share-full')
    }
    if (queue.size >= maxQueue) throw new PermitRefused('queue-full')
  }

  function take(key?: string): () => void {
    free--
    held.push(key)
    const heldSince = performance.now()
    let isHeld = true
    const release = () => {
      free++
      held.splice(held.indexOf(key), 1)
      grantNext()
    }
    return () => {
      if (!isHeld) return
      isHeld = false
      if (restMs) setTimeout(release, restMs(performance.now() - heldSince))
      else release()
    }
  }

  // A permit passes directly to the first that may have it, so that no later caller can take it.
  function grantNext(): void {
    for (const waiter of queue)
      if (free === 0) return
      else if (isFree(waiter.key)) waiter.grant()
  }

  async function acquire(signal?: AbortSignal, key?: string): Promise<() => void> {
    if (signal?.aborted) throw new PermitRefused('aborted')
    if (isFree(key)) return take(key)
    check(key)
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(waiter)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(new PermitRefused('aborted'))
      }
      const waiter = {
        key,
        grant() {
          leave()
          resolve(take(key))
        }
      }
      queue.add(waiter)
      signal?.addEventListener('abort', abort)
    })
  }

  async function run<T>(signal: AbortSignal | undefined, work: () => Promise<T>, key?: string): Promise<T> {
    const release = await acquire(signal, key)
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
    check,
    acquire,
    run
  }
}
