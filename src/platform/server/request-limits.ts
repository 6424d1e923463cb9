import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { bodyTooSlow, Deadline, tooLate } from '../concurrency/deadline.js'
import { problem } from '../errors/problem.js'
import { redactError } from '../errors/redact-error.js'
import { logLine } from '../logging/log-line.js'
import { countBodyBytes } from './body-bytes.js'
import { bulkhead } from './bulkhead.js'

export interface RequestLimits {
  /** Milliseconds from the arrival of a request to its response. */
  requestTimeout: number
  /** Requests are refused while the event loop lags by more. 0 disables it. */
  maxEventLoopDelayMs: number
  /** Maximum concurrent heavy requests. */
  heavyPermits: number
}

/** Milliseconds after the start in which the lag of the start itself is ignored. */
const WARM_UP_MS = 2000

/**
 * Limits what a request takes from others: its time, until its {@link Deadline}; work while the
 * event loop lags; concurrent work on large bodies ({@link bulkhead}); and their bytes
 * ({@link countBodyBytes}).
 *
 * Fastify's `handlerTimeout` runs until the response has been sent, so it sends a second response,
 * with a second audit record, while the first is still being recorded.
 */
export const requestLimits = fp<RequestLimits>(
  async (app: FastifyInstance, { requestTimeout, maxEventLoopDelayMs, heavyPermits }) => {
    app.decorateRequest('deadline')
    app.addHook('onRequest', (request, _reply, done) => {
      request.deadline = new Deadline(requestTimeout)
      done()
    })
    if (maxEventLoopDelayMs > 0) await shedLoad(app, maxEventLoopDelayMs)
    bulkhead(app, heavyPermits)
    countBodyBytes(app)
    app.addHook('onRoute', (route) => {
      const { handler } = route
      route.handler = function (request, reply) {
        const work: unknown = handler.call(this, request, reply)
        if (!(work instanceof Promise)) return work
        const { deadline, log, taken } = request
        if (taken) taken.isInHandler = true
        work
          .catch((cause) => {
            if (deadline.isExceeded)
              log.warn(
                logLine('The work of a request failed after its deadline', { cause: redactError(cause) })
              )
          })
          .finally(() => {
            if (!taken) return
            // A client that reads its response slowly would keep the body in memory.
            request.body = undefined
            taken.releaseAll()
          })
        // The handler reads an upload, so a slow client gets 408.
        const late = () => (request.raw.complete === false ? bodyTooSlow() : tooLate())
        return deadline.wait(work, late).catch((cause) => {
          // A handler that returns `reply` waits until the client has read the response.
          if (!reply.sent || !deadline.isExceeded) throw cause
        })
      }
    })
  },
  { name: 'request-limits' }
)

/** Refuses requests with 503 while the event loop lags, so that requests in flight finish. */
async function shedLoad(app: FastifyInstance, maxEventLoopDelayMs: number): Promise<void> {
  let readyAt = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    readyAt = Date.now()
  })
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    pressureHandler: (request) => {
      if (request.routeOptions.config.access === 'uncounted' || Date.now() < readyAt + WARM_UP_MS) return
      throw problem('busy')
    }
  })
}
