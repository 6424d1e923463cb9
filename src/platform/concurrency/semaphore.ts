/** A permit was refused: the queue or a share is full, or the signal aborted. */
export class PermitRefused extends Error {
  override readonly name = 'PermitRefused'
  constructor(readonly reason: 'queue-full' | 'share-full' | 'aborted') {
    super(reason)
  }
}

/** Keys of the work, one for each share: its caller and the organization of its caller. */
export type ShareKeys = readonly string[]

/** Ends the wait for a permit. A function is called only for work that has to wait. */
type WaitSignal = AbortSignal | (() => AbortSignal)

/** Limits concurrent work. Work without keys counts in no share. */
export interface Semaphore {
  /** Number of callers in the queue. */
  readonly waiting: number
  /**
   * Checks that work could now begin, or wait.
   * @throws PermitRefused
   */
  check(keys?: ShareKeys): void
  /**
   * Waits for a permit in FIFO order. Returns the function that releases it.
   * @throws PermitRefused when the queue or a share is full, or when the signal aborts first.
   */
  acquire(signal?: WaitSignal, keys?: ShareKeys): Promise<() => void>
  /**
   * Runs work with a permit and releases it when the work has settled.
   * @throws PermitRefused
   */
  run<T>(signal: WaitSignal | undefined, work: () => Promise<T>, keys?: ShareKeys): Promise<T>
}

/** Maximum permits and places in the queue of one key. */
export interface Share {
  permits: number
  maxQueue: number
}

export interface SemaphoreLimits {
  permits: number
  /** Maximum number of callers in the queue. */
  maxQueue: number
  /** The shares of a key, in the order of {@link ShareKeys}. Default: no limit for any key. */
  shares?: readonly Share[]
  /**
   * Whether a released permit stays taken as long as it was held, at most {@link MAX_REST_MS}. Work
   * of one key in a row would keep the event loop from other work.
   */
  rests?: boolean
}

/** Maximum milliseconds for which a released permit stays taken. */
const MAX_REST_MS = 20

/** Claims, with their number for each key. */
class Claims {
  readonly all = new Set<Claim>()
  readonly #counts = new Map<string, number>()

  add(claim: Claim): void {
    this.all.add(claim)
    for (const key of claim.keys) this.#counts.set(key, this.count(key) + 1)
  }

  delete(claim: Claim): void {
    if (!this.all.delete(claim)) return
    for (const key of claim.keys) {
      const count = this.count(key) - 1
      if (count === 0) this.#counts.delete(key)
      else this.#counts.set(key, count)
    }
  }

  count(key: string): number {
    return this.#counts.get(key) ?? 0
  }
}

/** A permit that is held or waited for. */
interface Claim {
  keys: ShareKeys
  grant(): void
}

export function createSemaphore({
  permits,
  maxQueue,
  shares = [],
  rests = false
}: SemaphoreLimits): Semaphore {
  const held = new Claims()
  const queue = new Claims()

  const isShareFull = (claims: Claims, keys: ShareKeys, limit: keyof Share) =>
    shares.some((share, at) => {
      const key = keys[at]
      return key !== undefined && claims.count(key) >= share[limit]
    })
  const isFree = (keys: ShareKeys) => held.all.size < permits && !isShareFull(held, keys, 'permits')

  function check(keys: ShareKeys = []): void {
    if (isFree(keys)) return
    if (isShareFull(queue, keys, 'maxQueue')) throw new PermitRefused('share-full')
    if (queue.all.size >= maxQueue) throw new PermitRefused('queue-full')
  }

  function take(claim: Claim): () => void {
    const heldSince = performance.now()
    held.add(claim)
    // A permit passes directly to the first that may have it, so that no later caller can take it.
    const release = () => {
      held.delete(claim)
      for (const next of queue.all) {
        if (held.all.size >= permits) break
        if (isFree(next.keys)) next.grant()
      }
    }
    return () => {
      if (rests) setTimeout(release, Math.min(performance.now() - heldSince, MAX_REST_MS))
      else release()
    }
  }

  async function acquire(given?: WaitSignal, keys: ShareKeys = []): Promise<() => void> {
    check(keys)
    const signal = typeof given === 'function' ? (isFree(keys) ? undefined : given()) : given
    if (signal?.aborted) throw new PermitRefused('aborted')
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
        keys,
        grant() {
          leave()
          resolve(take(claim))
        }
      }
      if (isFree(keys)) return claim.grant()
      queue.add(claim)
      signal?.addEventListener('abort', abort)
    })
  }

  return {
    get waiting() {
      return queue.all.size
    },
    check,
    acquire,
    async run(signal, work, keys) {
      const release = await acquire(signal, keys)
      try {
        return await work()
      } finally {
        release()
      }
    }
  }
}
