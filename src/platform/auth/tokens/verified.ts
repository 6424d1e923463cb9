import type { FastifyInstance } from 'fastify'
import { redactError } from '../../errors/redact-error.js'
import { logLine } from '../../logging/log-line.js'
import type { Authenticate } from '../access.js'
import { actorFrom, tokenOf } from './claims.js'
import { fetchKeys } from './discovery.js'
import { createIssuerHttp } from './issuer-http.js'
import { type IssuerKeys, issuerKeys } from './issuer-keys.js'
import { hashOf, tokenCache } from './token-cache.js'
import { tokenVerifier } from './verify.js'

/** Milliseconds after which an issuer's keys are fetched anew, in the background. */
const refreshing = 600_000

export interface VerifiedTokensOptions {
  /** Trusted issuers, as tokens name them. */
  issuers: readonly string[]
  /** What tokens must be for; anything when undefined. */
  audience: string | undefined
  /** Milliseconds for which an issuer's keys are used after they were last fetched. */
  keysKept: number
  now?: () => number
}

/** Takes tokens signed by a trusted issuer; its keys come from its OpenID discovery, and follow their rotation. */
export async function verifiedTokens(
  app: FastifyInstance,
  { issuers, audience, keysKept, now = Date.now }: VerifiedTokensOptions
): Promise<Authenticate> {
  const keys = new Map(issuers.map((issuer) => [issuer, keysOf(app, issuer, keysKept, now)]))
  const verify = await tokenVerifier(app, { issuers: keys, audience, now })
  const cache = tokenCache(now)

  return async (request) => {
    const token = tokenOf(request)
    const hash = hashOf(token)
    const known = cache.get(hash)
    if (known) return { ...known, token }
    const verified = await verify(request, token)
    const { token: _, ...bearer } = actorFrom(verified.claims, token)
    cache.set(hash, token.length, bearer, verified)
    return { ...bearer, token }
  }
}

/** The keys of an issuer, fetched from the start of the server to its end. */
function keysOf(app: FastifyInstance, issuer: string, kept: number, now: () => number): IssuerKeys {
  const http = createIssuerHttp()
  const keys = issuerKeys({
    fetch: () => fetchKeys(http, issuer),
    kept,
    onFailure: (cause) =>
      app.log.warn(
        logLine('The keys of a token issuer cannot be fetched', { issuer, cause: redactError(cause) })
      ),
    now
  })
  let timer: NodeJS.Timeout | undefined
  // Nobody waits for it: an issuer that is away keeps no server from starting.
  const refresh = () => void keys.refresh()
  app.addHook('onReady', async () => {
    refresh()
    timer = setInterval(refresh, Math.min(refreshing, kept / 2)).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await http.close()
  })
  return keys
}
