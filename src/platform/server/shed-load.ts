import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { problem } from '../errors/problem.js'

/** Milliseconds after the start in which the lag of the start itself is ignored. */
const WARM_UP_MS = 2000

/**
 * Rejects requests with 503 while the event loop lags by more than `eventLoopDelay`; 0 disables it.
 * The library adds the hook.
 */
export async function shedLoad(
  app: FastifyInstance,
  { limits: { eventLoopDelay } }: { limits: { eventLoopDelay: number } }
): Promise<void> {
  if (eventLoopDelay === 0) return
  let readyAt = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    readyAt = Date.now()
  })
  await app.register(underPressure, {
    maxEventLoopDelay: eventLoopDelay,
    pressureHandler: (request) => {
      if (request.routeOptions.config.access === 'uncounted' || Date.now() < readyAt + WARM_UP_MS) return
      throw problem('busy')
    }
  })
}
