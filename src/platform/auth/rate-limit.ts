import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../errors/problem.js'
import { type Caller, callerKeyOf } from './caller.js'

/**
 * Counts a request of a caller, a request without a valid token (`unknown`), or a request to a
 * public route, and adds the headers of draft-ietf-httpapi-ratelimit-headers.
 * @throws Problem `too-many-requests` when the quota of this minute is used up.
 */
export type RateLimitCheck = (
  request: FastifyRequest,
  reply: FastifyReply,
  sender: Caller | 'unknown' | 'public'
) => Promise<void>

/** Quota of all clients of public routes together, as a multiple of the quota of a caller. */
const PUBLIC_QUOTAS = 10

const WINDOW_S = 60

/** Maximum counted callers, and counted IP addresses. The least recent ones are evicted. */
const MAX_COUNTERS = 10_000

/**
 * Makes the rate limit of this instance. 0 requests a minute means no limit. Without their IP
 * addresses, all clients of public routes share a quota.
 */
export async function rateLimiter(
  app: FastifyInstance,
  requestsPerMinute: number,
  knowsAddresses: boolean
): Promise<RateLimitCheck> {
  if (requestsPerMinute === 0) return async () => {}
  const keys = new WeakMap<FastifyRequest, string>()
  await app.register(rateLimit, { global: false, cache: MAX_COUNTERS })
  const quota = { max: requestsPerMinute, timeWindow: WINDOW_S * 1000 }
  // Separate caches, so that many unknown clients cannot evict callers. IPv6 counts by network.
  const byAddress = app.createRateLimit(quota)
  const byCaller = app.createRateLimit({ ...quota, keyGenerator: (request) => keys.get(request) ?? '' })
  const together = { ...quota, max: PUBLIC_QUOTAS * requestsPerMinute, keyGenerator: () => '' }
  const ofPublicRoutes = knowsAddresses ? byAddress : app.createRateLimit(together)
  return async (request, reply, sender) => {
    if (typeof sender === 'object') keys.set(request, callerKeyOf(sender))
    const check = sender === 'public' ? ofPublicRoutes : sender === 'unknown' ? byAddress : byCaller
    const usage = await check(request)
    if (usage.isAllowed) return
    const name = typeof sender === 'object' ? 'caller' : sender
    reply.header('ratelimit-policy', `"${name}";q=${usage.max};w=${WINDOW_S}`)
    reply.header('ratelimit', `"${name}";r=${usage.remaining};t=${usage.ttlInSeconds}`)
    if (!usage.isExceeded) return
    const headers = { 'retry-after': String(usage.ttlInSeconds) }
    throw problem('too-many-requests.quota', null, { max: usage.max }, { headers })
  }
}
