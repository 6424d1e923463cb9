import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from '../errors/problem.js'

/** Milliseconds after the start in which the lag of the start itself is ignored. */
const WARM_UP_MS = 2000

/**
 * Refuses requests with 503 while the event loop lags by more than `maxEventLoopDelayMs`, so that
 * requests in flight finish. Health checks are exempt. 0 disables it.
 */
export const loadShedding = fp<{ maxEventLoopDelayMs: number }>(
  async (app: FastifyInstance, { maxEventLoopDelayMs }) => {
    if (maxEventLoopDelayMs === 0) return
    let readyAt = Number.POSITIVE_INFINITY
    app.addHook('onReady', async () => {
      readyAt = Date.now()
    })
    await app.register(underPressure, {
      maxEventLoopDelay: maxEventLoopDelayMs,
      pressureHandler: (request) => {
        if (request.routeOptions.config.access === 'uncounted' || Date.now() < readyAt + WARM_UP_MS) return
        throw problem('busy', 'The server is overloaded. Try again in a few seconds.', {
          headers: { 'retry-after': '5' }
        })
      }
    })
  },
  { name: 'load-shedding' }
)
