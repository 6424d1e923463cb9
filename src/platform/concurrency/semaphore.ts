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
   * Checks that work could now begin, or wait within the share of its key. {@link acquire} lets it
   * wait beyond.
   * @throws PermitRefused
   */
  check(key: string): void
  /**
   * Waits for a permit in FIFO order. Returns the function that releases it.
   * @throws PermitRefused when the queue is full, or when the signal aborts first.
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
  /**
   * The share of a key: as many permits and waiting callers. A permit then rests as long as it was
   * held, at most {@link MAX_REST_MS}: work of one key in a row would keep the event loop from
   * others. Default: all, without a rest.
   */
  share?: { permits: number; maxQueue: number }
}

/** Maximum milliseconds of the rest of a permit. */
const MAX_REST_MS = 20

/** A permit that is held or waited for. */
interface Claim {
  key: string | undefined
  grant(): void
}

export function createSemaphore({ permits, maxQueue, share }: SemaphoreLimits): Semaphore {
  const held = new Set<Claim>()
  const queue = new Set<Claim>()

  const isShareFull = (claims: Set<Claim>, key: string | undefined, maximum = Number.POSITIVE_INFINITY) =>
    key !== undefined && [...claims].filter((claim) => claim.key === key).length >= maximum
  const isFree = (key: string | undefined) => held.size < permits && !isShareFull(held, key, share?.permits)

  function check(key?: string): void {
    if (isFree(key)) return
    if (isShareFull(queue, key, share?.maxQueue)) throw new PermitRefused('share-full')
    if (queue.size >= maxQueue) throw new PermitRefused('queue-full')
  }

  function take(claim: Claim): () => void {
    const heldSince = performance.now()
    held.add(claim)
    // A permit passes directly to the first that may have it, so that no later caller can take it.
    const release = () => {
      held.delete(claim)
      for (const next of queue) if (isFree(next.key)) next.grant()
    }
    return () => {
      if (share) setTimeout(release, Math.min(performance.now() - heldSince, MAX_REST_MS))
      else release()
    }
  }

  async function acquire(signal?: AbortSignal, key?: string): Promise<() => void> {
    if (signal?.aborted) throw new PermitRefused('aborted')
    if (!isFree(key) && queue.size >= maxQueue) throw new PermitRefused('queue-full')
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(claim)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(new PermitRefused('aborted'))
      }
      const claim: Claim = {
        key,
        grant() {
          leave()
          resolve(take(claim))
        }
      }
      if (isFree(key)) return claim.grant()
      queue.add(claim)
      signal?.addEventListener('abort', abort)
    })
  }

  return {
    get waiting() {
      return queue.size
    },
    check,
    acquire,
    async run(signal, work, key) {
      const release = await acquire(signal, key)
      try {
        return await work()
      } finally {
        release()
      }
    }
  }
}
