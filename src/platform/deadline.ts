import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { traceOf } from './error-trace.js'
import { type Problem, problem } from './problem.js'
import { within } from './within.js'

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

  constructor(readonly milliseconds: number) {
    this.#end = performance.now() + milliseconds
  }

  /** Milliseconds that are left; 0 when it is over. */
  get left(): number {
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
  get patience(): AbortSignal {
    this.#patience ??= AbortSignal.timeout(Math.max(0, Math.ceil(this.left - this.milliseconds / 3)))
    return this.#patience
  }

  /**
   * Waits for the work of the request as long as there is time.
   * @throws Problem `busy` when it is over and nothing will be written, `outcome-unknown` when a commit is under way.
   */
  wait<T>(work: Promise<T>): Promise<T> {
    return within(this.left, work, () => {
      this.#over = this.#mayBeWritten ? unknown() : late()
      return this.#over
    })
  }

  /**
   * Writes, if there is time: `write` calls `begin` right before the step that makes it take effect.
   * @throws Problem from `begin` when the time is over.
   */
  async commit<T>(write: (begin: () => void) => Promise<T>): Promise<T> {
    const begin = () => {
      if (this.#over ?? this.left === 0) throw this.#over ?? late()
      this.#mayBeWritten = true
    }
    try {
      return await write(begin)
    } catch (cause) {
      this.#mayBeWritten = false
      throw cause
    }
  }
}

const late = () =>
  problem('busy', 'It took too long and was given up; nothing was written. Try again later.', {
    headers: { 'retry-after': '5' }
  })

const unknown = () =>
  problem('outcome-unknown', 'It took too long. Look whether it was written before you try again.', {
    headers: { 'retry-after': '5' }
  })

/** Gives every request its deadline, and ends the wait for its handler when that is over. */
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
          if (deadline.isOver) log.warn({ cause: traceOf(cause) }, 'Given up after its time')
        })
        return deadline.wait(work)
      }
    })
  },
  { name: 'deadlines' }
)
