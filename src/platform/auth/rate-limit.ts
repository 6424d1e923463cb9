import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '../errors/problem.js'
import { type Caller, callerKeyOf } from './caller.js'

/**
 * Counts a request of the caller or, without a valid token, of the client's IP address.
 * @throws Problem `too-many-requests` when the quota of this minute is used up.
 */
export type RateLimitCheck = (request: FastifyRequest, caller?: Caller) => Promise<void>

/** Maximum counted callers, and counted IP addresses. The least recent ones are evicted. */
const MAX_COUNTERS = 10_000

/** Makes the rate limit of this instance. 0 requests a minute means no limit. */
export async function rateLimiter(app: FastifyInstance, requestsPerMinute: number): Promise<RateLimitCheck> {
  if (requestsPerMinute === 0) return async () => {}
  const keys = new WeakMap<FastifyRequest, string>()
  await app.register(rateLimit, { global: false, cache: MAX_COUNTERS })
  const quota = { max: requestsPerMinute, timeWindow: 60_000 }
  // Separate caches, so that many unknown clients cannot evict callers. IPv6 counts by network.
  const byAddress = app.createRateLimit(quota)
  const byCaller = app.createRateLimit({ ...quota, keyGenerator: (request) => keys.get(request) ?? '' })
  return async (request, caller) => {
    if (caller) keys.set(request, callerKeyOf(caller))
    const usage = await (caller ? byCaller : byAddress)(request)
    if (usage.isAllowed || !usage.isExceeded) return
    throw problem('too-many-requests', `Maximum requests a minute: ${requestsPerMinute}. Try again later.`, {
      headers: { 'retry-after': String(usage.ttlInSeconds) }
    })
  }
}
