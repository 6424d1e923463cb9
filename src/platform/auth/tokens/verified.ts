import { createHash } from 'node:crypto'
import jwt, { type VerifyOptions } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Agent } from 'undici'
import { redactError } from '../../errors/redact-error.js'
import { logLine } from '../../logging/log-line.js'
import { observeGauge } from '../../telemetry/meter.js'
import type { Authenticate } from '../authorize.js'
import { authProblem } from '../texts.js'
import { bearerToken, callerOf, decodeToken, invalidToken, LEEWAY_MS } from './access-token.js'
import { algorithms, fetchIssuer, type SignInIssuer } from './discovery.js'
import { issuerKeys } from './issuer-keys.js'

const REFRESH_INTERVAL_MS = 600_000
const MAX_RESPONSE_BYTES = 262_144

/** Details of a 401 by the code of the library's error, whose message may quote the token. */
const details = {
  FAST_JWT_EXPIRED: 'unauthorized.expired',
  FAST_JWT_INACTIVE: 'unauthorized.notYetValid',
  FAST_JWT_INVALID_SIGNATURE: 'unauthorized.signature',
  FAST_JWT_MISSING_REQUIRED_CLAIM: 'unauthorized.noExpiry'
} as const

export interface VerifiedTokensOptions {
  issuers: readonly string[]
  /** The audience that tokens must name; any when undefined. */
  audience: string | undefined
  /** Milliseconds for which an issuer's keys are used after they were last fetched. */
  keysMaxAgeMs?: number
}

export interface VerifiedTokens {
  authenticate: Authenticate
  /** Whether the keys of an issuer are known. Without keys every token is rejected. */
  hasKeys(): boolean
  /** The issuers at which users can sign in. Keys of other issuers are fetched meanwhile. */
  signInIssuers(): SignInIssuer[]
}

/**
 * Accepts tokens of trusted issuers. @fastify/jwt verifies them with a key that jose selects,
 * because it has no key sets: https://github.com/fastify/fastify-jwt/issues/132.
 */
export async function verifiedTokens(
  app: FastifyInstance,
  { issuers, audience, keysMaxAgeMs = 86_400_000 }: VerifiedTokensOptions
): Promise<VerifiedTokens> {
  const keysByIssuer = startKeys(app, issuers, keysMaxAgeMs)
  const cache = new LRUCache<string, Awaited<ReturnType<typeof verify>>>({ max: 10_000, maxSize: 16_777_216 })
  await app.register(jwt, {
    // Each verification names its key. Without a private key the library signs nothing.
    secret: { public: refuseKey },
    verify: {
      algorithms: algorithms as NonNullable<VerifyOptions['algorithms']>,
      clockTolerance: LEEWAY_MS,
      requiredClaims: audience === undefined ? ['exp'] : ['exp', 'aud'],
      ...(audience === undefined ? {} : { allowedAud: audience })
    }
  })

  async function verify(token: string) {
    const { header, claims } = decodeToken(token)
    const issuer = keysByIssuer.get(claims.iss ?? '')
    if (!issuer) throw authProblem('unauthorized.untrustedIssuer', null, null, invalidToken)
    const found = await issuer.find(header)
    if (!found) throw authProblem('unauthorized.unknownKey', null, null, invalidToken)
    try {
      app.jwt.verify(token, { key: found.pem })
    } catch (cause) {
      const { code, message } = cause as Error & { code: string }
      const options = { ...invalidToken, cause }
      // The signature is verified before the claims.
      if (audience !== undefined && /\baud claim\b/.test(message))
        throw authProblem('unauthorized.otherAudience', null, { audience }, options)
      throw authProblem(details[code as keyof typeof details] ?? 'unauthorized.notValid', null, null, options)
    }
    const caller = callerOf(claims)
    if (caller.userId === undefined) throw authProblem('unauthorized.noUser', null, null, invalidToken)
    return { caller, expiresAt: 1000 * (caller.expiresAt ?? 0), issuer, keys: found.keys }
  }

  const authenticate: Authenticate = async (request) => {
    const token = bearerToken(request)
    // A hash of the whole token, because two tokens may share a part, such as the signature.
    const hash = createHash('sha256').update(token).digest('base64')
    const known = cache.get(hash)
    const isInForce = known && Date.now() < known.expiresAt && known.issuer.current() === known.keys
    const verified = isInForce ? known : await verify(token)
    // The length limits the stored size of the token.
    if (!isInForce) cache.set(hash, verified, { size: token.length + 512 })
    return { ...verified.caller, token }
  }
  return {
    authenticate,
    hasKeys: () => [...keysByIssuer.values()].some((keys) => keys.current() !== undefined),
    signInIssuers: () => [...keysByIssuer.values()].flatMap((each) => each.signIn() ?? [])
  }
}

async function refuseKey(): Promise<never> {
  throw new Error('A token is verified with the key of its issuer only.')
}

/** Refreshes the keys of the issuers until shutdown. A failed fetch does not delay the start. */
function startKeys(app: FastifyInstance, issuers: readonly string[], maxAgeMs: number) {
  const agent = new Agent({ maxResponseSize: MAX_RESPONSE_BYTES })
  function keysOf(issuer: string) {
    let signIn: SignInIssuer | undefined
    const keys = issuerKeys(
      async () => {
        const published = await fetchIssuer(agent, issuer)
        signIn = published.signIn
        return published.keys
      },
      maxAgeMs,
      (cause) =>
        app.log.warn(
          logLine('The keys of a token issuer cannot be fetched', { issuer, cause: redactError(cause) })
        )
    )
    return {
      ...keys,
      signIn() {
        // Before the first fetch, users cannot sign in, so no token would cause a fetch.
        keys.prefetch()
        return signIn
      }
    }
  }
  const keysByIssuer = new Map(issuers.map((issuer) => [issuer, keysOf(issuer)]))
  const stopObserving = observeGauge(
    'ssl.issuer.keys.available',
    { description: '1 while the keys of a token issuer are known, otherwise 0: its tokens are rejected.' },
    () => [...keysByIssuer].map(([issuer, keys]) => [keys.current() ? 1 : 0, { issuer }])
  )
  const refresh = () => keysByIssuer.forEach((keys) => void keys.refresh())
  let timer: NodeJS.Timeout | undefined
  app.addHook('onReady', async () => {
    refresh()
    timer = setInterval(refresh, Math.min(REFRESH_INTERVAL_MS, maxAgeMs / 2)).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    stopObserving()
    await agent.destroy()
  })
  return keysByIssuer
}
