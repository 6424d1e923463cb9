import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { withTimeout } from '../concurrency/with-timeout.js'
import { isOutcomeUnknown } from '../errors/pg-errors.js'
import { Problem, problem } from '../errors/problem.js'
import { redactError } from '../errors/redact-error.js'
import { logLine } from '../logging/log-line.js'

declare module 'fastify' {
  interface FastifyRequest {
    deadline: Deadline
  }
}

/**
 * The time that a request has, from its arrival to its answer. When it is over, the request is answered with 503 whatever it still
 * does, and writes nothing any more: who is told that nothing was written may repeat it.
 */
export class Deadline {
  readonly #end: number
  #patience: AbortSignal | undefined
  #over: Problem | undefined
  #mayBeWritten = false

  constructor(readonly durationMs: number) {
    this.#end = performance.now() + durationMs
  }

  /** Milliseconds that are left; 0 when it is over. */
  get remainingMs(): number {
    return Math.max(0, this.#end - performance.now())
  }

  get isOver(): boolean {
    return this.#over !== undefined
  }

  /** Whether something was written, or is being committed just now. */
  get mayBeWritten(): boolean {
    return this.#mayBeWritten
  }

  /** Aborts after two thirds of the time: whom the request still waits for then is given up, while there is time to say so. */
  get signal(): AbortSignal {
    this.#patience ??= AbortSignal.timeout(Math.max(0, Math.ceil(this.remainingMs - this.durationMs / 3)))
    return this.#patience
  }

  /**
   * Waits for the work of the request as long as there is time.
   * @param late the problem when it is over and nothing will be written.
   * @throws Problem `busy` when it is over and nothing will be written, `outcome-unknown` when a commit is under way, or when
   *   the work fails after one.
   */
  wait<T>(work: Promise<T>, late: () => Problem = tooLate): Promise<T> {
    const told = work.catch((cause) => {
      throw this.#mayBeWritten ? unknown(cause) : cause
    })
    return withTimeout(this.remainingMs, told, () => {
      this.#over = this.#mayBeWritten ? unknown() : late()
      return this.#over
    })
  }

  /**
   * Writes, if there is time: `write` calls `begin` right before the step that makes it take effect.
   * @param isWritten whether it did, by its result.
   * @throws Problem from `begin` when the time is over; `outcome-unknown` when the connection was lost before the database had
   *   answered whether that step took effect.
   */
  async commit<T>(
    write: (begin: () => void) => Promise<T>,
    isWritten: (result: T) => boolean = () => true
  ): Promise<T> {
    // What an earlier commit of the same request wrote stays written.
    const wasWritten = this.#mayBeWritten
    const begin = () => {
      this.check()
      this.#mayBeWritten = true
    }
    try {
      const result = await write(begin)
      this.#mayBeWritten = wasWritten || isWritten(result)
      return result
    } catch (cause) {
      if (this.#mayBeWritten && isOutcomeUnknown(cause)) throw unknown(cause)
      this.#mayBeWritten = wasWritten
      throw cause
    }
  }

  /** @throws Problem when the time is over: nobody waits for what would be done. */
  check(): void {
    if (this.#over) throw this.#over
    if (this.remainingMs === 0) throw tooLate()
  }
}

const tooLate = () =>
  problem('busy', 'It took too long and was given up; nothing was written. Try again later.', {
    headers: { 'retry-after': '5' }
  })

/** The problem of a request whose body does not come in time. */
export const tooSlow = (): Problem => problem('request-timeout', 'Send the request faster.')

const unknown = (cause?: unknown) =>
  cause instanceof Problem && cause.code === 'outcome-unknown' ? cause : outcomeUnknown(cause)

/** The problem of a request that may have been written, whatever failed since. */
export const outcomeUnknown = (cause?: unknown): Problem =>
  problem('outcome-unknown', 'Look whether it was written before you try again.', {
    headers: { 'retry-after': '5' },
    cause
  })

/**
 * Gives every request its deadline, and ends the wait for its handler when that is over. Fastify's
 * `handlerTimeout` runs until the response has been sent, so it sends a second response, with a second
 * audit record, while the first is still being recorded.
 */
export const deadlines = fp<{ requestTimeout: number }>(
  async (app: FastifyInstance, { requestTimeout }) => {
    app.decorateRequest('deadline')
    app.addHook('onRequest', async (request) => {
      request.deadline = new Deadline(requestTimeout)
    })
    app.addHook('onRoute', (route) => {
      const { handler } = route
      route.handler = function (request, reply) {
        const work: unknown = handler.call(this, request, reply)
        if (!(work instanceof Promise)) return work
        const { deadline, log } = request
        work.catch((cause) => {
          if (deadline.isOver) log.warn(logLine('Given up after its time', { cause: redactError(cause) }))
        })
        // An upload is read by its handler: a client that sends too slowly is told so.
        return deadline.wait(work, () => (request.raw.complete === false ? tooSlow() : tooLate()))
      }
    })
  },
  { name: 'deadlines' }
)
