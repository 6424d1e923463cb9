import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '../errors/problem.js'
import type { Caller } from './actor.js'

/**
 * Counts a request.
 * @throws Problem `too-many-requests` when the caller, or the address of who has no valid token, had its share of this minute.
 */
export type RateLimit = (request: FastifyRequest, caller?: Caller) => Promise<void>

/** Callers, and addresses, that are remembered at once; beyond, who called longest ago is forgotten. */
const remembered = 10_000

/** Makes the rate limit of this instance: so many requests a minute for each caller; without a number, as many as they like. */
export async function rateLimiter(app: FastifyInstance, perMinute: number): Promise<RateLimit> {
  if (perMinute === 0) return async () => {}
  const keys = new WeakMap<FastifyRequest, string>()
  await app.register(rateLimit, { global: false, cache: remembered })
  const quota = { max: perMinute, timeWindow: 60_000 }
  // Apart, so that no crowd of strangers makes callers forgotten. An IPv6 address counts with its network.
  const byAddress = app.createRateLimit(quota)
  const byCaller = app.createRateLimit({ ...quota, keyGenerator: (request) => keys.get(request) ?? '' })
  return async (request, caller) => {
    if (caller) keys.set(request, keyOf(caller))
    const share = await (caller ? byCaller : byAddress)(request)
    if (share.isAllowed || !share.isExceeded) return
    throw problem('too-many-requests', `A caller has ${perMinute} requests a minute. Try again later.`, {
      headers: { 'retry-after': String(share.ttlInSeconds) }
    })
  }
}

const keyOf = ({ userType, userId, organization }: Caller) => JSON.stringify([userType, userId, organization])
