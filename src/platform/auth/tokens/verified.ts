import { createHash } from 'node:crypto'
import jwt, { type VerifyOptions } from '@fastify/jwt'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Agent } from 'undici'
import type { Words } from '../../errors/language.js'
import { redactError } from '../../errors/redact-error.js'
import { logLine } from '../../logging/log-line.js'
import { observeGauge } from '../../telemetry/meter.js'
import type { Authenticate } from '../access.js'
import { bearerToken, decodeToken, LEEWAY_MS, tokenExpired, unauthorized } from './access-token.js'
import { callerOf } from './claims.js'
import { fetchIssuer } from './discovery.js'
import { issuerKeys } from './issuer-keys.js'
import type { SignInIssuer } from './sign-in-issuer.js'

const REFRESH_INTERVAL_MS = 600_000
const MAX_RESPONSE_BYTES = 262_144
/** Asymmetric only: with a shared secret, a verifier could also sign. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ')

/** Details of a 401 by the code of the library's error, whose message may quote the token. */
const details: Readonly<Record<string, Words>> = {
  FAST_JWT_EXPIRED: tokenExpired,
  FAST_JWT_INACTIVE: { en: 'Token not yet valid (nbf).', da: 'Adgangsnøglen gælder ikke endnu (nbf).' },
  FAST_JWT_MISSING_REQUIRED_CLAIM: { en: 'exp is required.', da: 'exp er påkrævet.' }
}

const invalidToken: Words = { en: 'The token is not valid.', da: 'Adgangsnøglen er ikke gyldig.' }

const wrongAudience = (audience: string): Words => ({
  en: `The token’s aud must name ${audience}.`,
  da: `Adgangsnøglens aud skal nævne ${audience}.`
})

export interface VerifiedTokensOptions {
  /** Trusted issuers, as tokens name them. */
  issuers: readonly string[]
  /** The audience that tokens must name; any when undefined. */
  audience: string | undefined
  /** Milliseconds for which an issuer's keys are used after they were last fetched. */
  keysMaxAgeMs?: number
}

export interface VerifiedTokens {
  authenticate: Authenticate
  /** Whether the keys of an issuer are known. Without any every token is refused. */
  hasKeys(): boolean
  /** The issuers at which people can sign in. Those that are unknown are fetched meanwhile. */
  signInIssuers(): SignInIssuer[]
}

/**
 * Accepts tokens signed by a trusted issuer. @fastify/jwt verifies signature, dates and `aud`. jose
 * selects the key: @fastify/jwt has no key sets, https://github.com/fastify/fastify-jwt/issues/132.
 */
export async function verifiedTokens(
  app: FastifyInstance,
  { issuers, audience, keysMaxAgeMs = 86_400_000 }: VerifiedTokensOptions
): Promise<VerifiedTokens> {
  const keysByIssuer = startKeys(app, issuers, keysMaxAgeMs)
  const cache = new LRUCache<string, Awaited<ReturnType<typeof verify>>>({ max: 10_000, maxSize: 16_777_216 })
  await app.register(jwt, {
    // Each call names its key.
    secret: async () => '',
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
    if (!issuer)
      throw unauthorized({
        en: 'The token’s issuer is not trusted (iss).',
        da: 'Adgangsnøglens udsteder er ikke godkendt (iss).'
      })
    const found = await issuer.find(header)
    if (!found)
      throw unauthorized({
        en: 'The token is not signed with a key of its issuer.',
        da: 'Adgangsnøglen er ikke underskrevet med en af udstederens nøgler.'
      })
    try {
      app.jwt.verify(token, { key: found.pem })
    } catch (cause) {
      const { code, message } = cause as Error & { code: string }
      // The signature is verified before the claims.
      const isForOthers = audience !== undefined && /\baud claim\b/.test(message)
      const detail = isForOthers ? wrongAudience(audience) : details[code]
      throw unauthorized(detail ?? invalidToken, cause)
    }
    const caller = callerOf(claims)
    return { caller, expiresAt: 1000 * (caller.expiresAt ?? 0), issuer, keys: found.keys }
  }

  const authenticate: Authenticate = async (request) => {
    const token = bearerToken(request)
    // Of the whole token: two tokens may share a part, such as the signature.
    const hash = createHash('sha256').update(token).digest('base64')
    const known = cache.get(hash)
    const isInForce = known && Date.now() < known.expiresAt && known.issuer.current() === known.keys
    const verified = isInForce ? known : await verify(token)
    // The length bounds what is kept of the token.
    if (!isInForce) cache.set(hash, verified, { size: token.length + 512 })
    return { ...verified.caller, token }
  }
  return {
    authenticate,
    hasKeys: () => [...keysByIssuer.values()].some((keys) => keys.current() !== undefined),
    signInIssuers: () => [...keysByIssuer.values()].flatMap((each) => each.signIn() ?? [])
  }
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
        // While nobody can sign in, no token comes that would fetch the keys.
        keys.prefetch()
        return signIn
      }
    }
  }
  const keysByIssuer = new Map(issuers.map((issuer) => [issuer, keysOf(issuer)]))
  const stopObserving = observeGauge(
    'ssl.issuer.keys.available',
    { description: '1 while the keys of a token issuer are known, else 0: its tokens are refused.' },
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
