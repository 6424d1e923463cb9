import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from '../errors/problem.js'

/** Milliseconds after the start in which its own lag does not count. */
const warmUp = 2000

/**
 * Refuses requests with 503 while the event loop lags by more than so many milliseconds, so that those under way are finished; health
 * and documentation are answered all the same. 0 refuses none.
 */
export const loadShedding = fp<{ eventLoopDelay: number }>(
  async (app: FastifyInstance, { eventLoopDelay }) => {
    if (eventLoopDelay === 0) return
    let readyAt = Number.POSITIVE_INFINITY
    app.addHook('onReady', async () => {
      readyAt = Date.now()
    })
    await app.register(underPressure, {
      maxEventLoopDelay: eventLoopDelay,
      pressureHandler: (request) => {
        if (request.routeOptions.config.access === 'public' || Date.now() < readyAt + warmUp) return
        throw problem('busy', 'The server has more to do than it can. Try again in a moment.', {
          headers: { 'retry-after': '5' }
        })
      }
    })
  },
  { name: 'overload' }
)
