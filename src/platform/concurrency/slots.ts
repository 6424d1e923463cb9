import { Problem, problem } from '../errors/problem.js'
import { timed } from '../telemetry/request-timings.js'
import { Deadline } from './deadline.js'
import { type QuotaScope, type Quotas, type SlotOwner, Usage } from './quotas.js'

export interface SlotLimits {
  /** The work that takes slots, for the documents. */
  work: string
  slots: Quotas
  /** Queue entries of work that waits for a slot. Default: none. */
  queue?: Quotas
  /**
   * A released slot stays taken for as long as it was used, at most this many milliseconds, because
   * consecutive work of one owner would block other work on the event loop.
   */
  coolDownMs?: number
}

/** Releases slots. Further calls have no effect. */
export type ReleaseSlots = () => void

/** No slot and no queue entry is free, or the wait for a slot ended: 429 or 503. */
export class NoSlot extends Problem {
  /** @param scope the quota that is exhausted; undefined after the end of the wait. */
  constructor(readonly scope?: QuotaScope) {
    const isOfOwner = scope === 'caller' || scope === 'organization'
    const { status, code, title, detail } = problem(isOfOwner ? 'too-many-requests.inProgress' : 'busy')
    super(status, code, title, detail)
  }
}

const NO_QUEUE: Quotas = { total: 0, caller: 0, organization: 0 }

export class Slots {
  readonly #used = new Usage()
  readonly #queued = new Usage()
  readonly #queue = new Set<{ owner: SlotOwner | undefined; grant(): void }>()

  constructor(readonly limits: SlotLimits) {}

  get used(): number {
    return this.#used.total
  }

  get waiting(): number {
    return this.#queued.total
  }

  /** @throws NoSlot */
  take(owner?: SlotOwner, amount = 1): ReleaseSlots {
    const exceeded = this.#used.exceeded(this.limits.slots, amount, owner)
    if (exceeded) throw new NoSlot(exceeded)
    return this.#grant(owner, amount)
  }

  /**
   * Checks that work could now take a slot, or wait for one.
   * @throws NoSlot
   */
  check(owner?: SlotOwner): void {
    if (this.#isFree(owner)) return
    const exceeded = this.#queued.exceeded(this.limits.queue ?? NO_QUEUE, 1, owner)
    if (exceeded) throw new NoSlot(exceeded)
  }

  /**
   * Takes a slot in the order of arrival. Work whose owner has used its quota is skipped.
   * @param until ends the wait; of a deadline, two thirds of its remaining time.
   * @throws NoSlot
   */
  async acquire(owner?: SlotOwner, until?: AbortSignal | Deadline): Promise<ReleaseSlots> {
    this.check(owner)
    if (until instanceof AbortSignal && until.aborted) throw new NoSlot()
    if (this.#isFree(owner)) return this.#grant(owner, 1)
    const signal = until instanceof Deadline ? until.queueSignal() : until
    const wait = () =>
      new Promise<ReleaseSlots>((resolve, reject) => {
        const leave = () => {
          this.#queue.delete(waiting)
          this.#queued.add(-1, owner)
          signal?.removeEventListener('abort', abort)
        }
        const abort = () => {
          leave()
          reject(new NoSlot())
        }
        const grant = () => {
          leave()
          resolve(this.#grant(owner, 1))
        }
        const waiting = { owner, grant }
        this.#queue.add(waiting)
        this.#queued.add(1, owner)
        signal?.addEventListener('abort', abort)
      })
    return timed('slot', wait)
  }

  /** Runs work with a slot, like {@link acquire}. Releases the slot when the work has settled. */
  async run<T>(
    owner: SlotOwner | undefined,
    work: () => Promise<T>,
    until?: AbortSignal | Deadline
  ): Promise<T> {
    const release = await this.acquire(owner, until)
    try {
      return await work()
    } finally {
      release()
    }
  }

  #isFree(owner: SlotOwner | undefined): boolean {
    return this.#used.exceeded(this.limits.slots, 1, owner) === undefined
  }

  #grant(owner: SlotOwner | undefined, amount: number): ReleaseSlots {
    const { slots, coolDownMs } = this.limits
    const start = performance.now()
    this.#used.add(amount, owner)
    const free = () => {
      this.#used.add(-amount, owner)
      // A slot passes directly to the first waiting work that may have it, so that no later caller
      // takes it.
      for (const waiting of this.#queue) {
        if (this.used >= slots.total) break
        if (this.#isFree(waiting.owner)) waiting.grant()
      }
    }
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      if (coolDownMs === undefined) free()
      else setTimeout(free, Math.min(performance.now() - start, coolDownMs))
    }
  }
}
