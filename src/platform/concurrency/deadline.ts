import { isOutcomeUnknown } from '../errors/pg-errors.js'
import { Problem, problem } from '../errors/problem.js'

/**
 * The state of the writes of a request. committing: a commit is in flight, or its outcome is
 * unknown.
 */
type Writes = 'none' | 'committing' | 'written'

/** The deadline of a request, after which it must not write: the client may safely repeat it. */
export class Deadline {
  readonly #end: number
  #signal: AbortSignal | undefined
  #exceeded: Problem | undefined
  #writes: Writes = 'none'

  constructor(readonly durationMs: number) {
    this.#end = performance.now() + durationMs
  }

  /** Remaining milliseconds; 0 after the deadline. */
  get remainingMs(): number {
    return Math.max(0, this.#end - performance.now())
  }

  /**
   * Milliseconds for which the request may wait for other work, so that time is left to respond.
   */
  get waitMs(): number {
    return this.remainingMs * 0.8
  }

  /** Aborts after two thirds of the remaining time, the maximum wait for a slot. */
  queueSignal(): AbortSignal {
    return AbortSignal.timeout(Math.ceil((this.remainingMs * 2) / 3))
  }

  /** Whether the request got its 503. */
  get isExceeded(): boolean {
    return this.#exceeded !== undefined
  }

  /** The problem of the 503 that the request got. */
  get exceeded(): Problem | undefined {
    return this.#exceeded
  }

  /** Whether the request has written, or a commit is in flight. */
  get mayHaveWritten(): boolean {
    return this.#writes !== 'none'
  }

  /** Aborts after two thirds of the time, so that time is left to report a slow upstream. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.timeout(Math.max(0, Math.ceil(this.remainingMs - this.durationMs / 3)))
    return this.#signal
  }

  /**
   * Waits for the work of the request until the deadline.
   * @throws Problem of `late`, or `outcome-unknown` after a commit or while a commit is in flight.
   */
  wait<T>(work: Promise<T>, late: () => Problem = tooLate): Promise<T> {
    const settled = work.catch((cause) => {
      throw this.mayHaveWritten ? asOutcomeUnknown(cause) : cause
    })
    return withTimeout(this.remainingMs, settled, () => {
      this.#exceeded = this.mayHaveWritten ? outcomeUnknown() : late()
      return this.#exceeded
    })
  }

  /**
   * Runs a write, which must call `begin` right before the step that takes effect.
   * @param isWritten whether the write took effect, according to its result.
   * @throws Problem of `begin` after the deadline, or `outcome-unknown`.
   */
  async commit<T>(
    write: (begin: () => void) => Promise<T>,
    isWritten: (result: T) => boolean = () => true
  ): Promise<T> {
    // An earlier commit of the same request stays in effect.
    const before = this.#writes
    const begin = () => {
      this.check()
      this.#writes = 'committing'
    }
    try {
      const result = await write(begin)
      this.#writes = isWritten(result) ? 'written' : before
      return result
    } catch (cause) {
      if (this.#writes === 'committing' && isOutcomeUnknown(cause)) throw asOutcomeUnknown(cause)
      this.#writes = before
      throw cause
    }
  }

  check(): void {
    if (this.#exceeded) throw this.#exceeded
    if (this.remainingMs === 0) throw tooLate()
  }
}

/** The problem of a request that has written nothing at its deadline. */
export const tooLate = (): Problem => problem('busy.tooLate')

/** The problem of a request whose body does not arrive in time. */
export const bodyTooSlow = (): Problem => problem('request-timeout')

const asOutcomeUnknown = (cause: unknown): Problem =>
  cause instanceof Problem && cause.code === 'outcome-unknown' ? cause : outcomeUnknown(cause)

/** The problem of a request that failed but may have written. */
export const outcomeUnknown = (cause?: unknown): Problem => problem('outcome-unknown', null, null, { cause })

/**
 * Rejects with `makeError()` if the promise has not settled in time. Does not cancel the promise.
 */
export function withTimeout<T>(timeoutMs: number, promise: Promise<T>, makeError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(makeError()), timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
