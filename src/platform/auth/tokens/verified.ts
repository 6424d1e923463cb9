import { createHash } from 'node:crypto'
import jwt, { type VerifyOptions } from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { redactError } from '../../errors/redact-error.js'
import { logLine } from '../../logging/log-line.js'
import { observeGauge } from '../../telemetry/meter.js'
import type { Authenticate } from '../access.js'
import { bearerToken, checkDates, decodeToken, isCanonical, unauthorized } from './access-token.js'
import { callerOf } from './claims.js'
import { createIssuerClient, fetchKeys } from './discovery.js'
import { type IssuerKeys, issuerKeys } from './issuer-keys.js'
import { tokenCache } from './token-cache.js'

const REFRESH_INTERVAL_MS = 600_000
/** Asymmetric only: with a shared secret, a verifier could also sign. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ')

export interface VerifiedTokensOptions {
  /** Trusted issuers, as tokens name them. */
  issuers: readonly string[]
  /** The audience that tokens must name; any when undefined. */
  audience: string | undefined
  /** Milliseconds for which an issuer's keys are used after they were last fetched. */
  keysMaxAgeMs?: number
  now?: () => number
}

export interface VerifiedTokens {
  authenticate: Authenticate
  /** Whether the keys of an issuer are known. Without any every token is refused. */
  hasKeys(): boolean
}

/**
 * Accepts tokens signed by a trusted issuer. @fastify/jwt verifies signature and `aud`. jose
 * selects the key: @fastify/jwt has no key sets, https://github.com/fastify/fastify-jwt/issues/132.
 */
export async function verifiedTokens(
  app: FastifyInstance,
  { issuers, audience, keysMaxAgeMs = 86_400_000, now = Date.now }: VerifiedTokensOptions
): Promise<VerifiedTokens> {
  const keysByIssuer = new Map(issuers.map((issuer) => [issuer, startKeys(app, issuer, keysMaxAgeMs, now)]))
  const cache = tokenCache(now)
  const pems = new WeakMap<FastifyRequest, string>()
  await app.register(jwt, {
    secret: async (request: FastifyRequest) => pems.get(request) ?? Promise.reject(new Error('No key')),
    verify: {
      algorithms: algorithms as NonNullable<VerifyOptions['algorithms']>,
      ignoreExpiration: true,
      ignoreNotBefore: true,
      ...(audience === undefined ? {} : { allowedAud: audience, requiredClaims: ['aud'] }),
      extractToken: bearerToken
    }
  })

  async function verify(request: FastifyRequest, token: string) {
    const { header, claims } = decodeToken(token)
    const { alg = '', kid = '', crit } = header
    // RFC 7515, section 4.1.11: no extension is understood here.
    if (!algorithms.includes(alg) || typeof kid !== 'string' || crit !== undefined)
      throw unauthorized('Unsupported alg, kid or crit in the header of the token.')
    const issuer = keysByIssuer.get(claims.iss ?? '')
    if (!issuer) throw unauthorized('The token’s issuer is not trusted.')
    const expiresAt = checkDates(claims, now())
    const found = await issuer.find(header)
    if (!found) throw unauthorized('The token is not signed with a key of its issuer.')
    pems.set(request, found.pem)
    await request.jwtVerify().catch((cause: Error) => {
      // The signature is verified before. Of the claims only `aud` is left to the library.
      const isForOthers = audience !== undefined && /\baud\b/.test(cause.message)
      throw unauthorized(
        isForOthers ? `The token’s aud must name ${audience}.` : 'The token is not valid.',
        cause
      )
    })
    if (!isCanonical(token.slice(token.lastIndexOf('.') + 1))) throw unauthorized('Malformed signature.')
    return { caller: callerOf(claims), expiresAt, issuer, keys: found.keys }
  }

  const authenticate: Authenticate = async (request) => {
    const token = bearerToken(request)
    // Of the whole token: two tokens may share a part, such as the signature.
    const hash = createHash('sha256').update(token).digest('base64')
    const known = cache.get(hash)
    if (known) return { ...known, token }
    const verified = await verify(request, token)
    cache.set(hash, token.length, verified)
    return { ...verified.caller, token }
  }
  return {
    authenticate,
    hasKeys: () => [...keysByIssuer.values()].some((keys) => keys.current() !== undefined)
  }
}

/** Refreshes the keys of an issuer until shutdown. A failed fetch does not delay the start. */
function startKeys(app: FastifyInstance, issuer: string, maxAgeMs: number, now: () => number): IssuerKeys {
  const { getJson, close } = createIssuerClient()
  const onFailure = (cause: unknown) =>
    app.log.warn(
      logLine('The keys of a token issuer cannot be fetched', { issuer, cause: redactError(cause) })
    )
  const keys = issuerKeys({ fetch: () => fetchKeys(getJson, issuer), maxAgeMs, onFailure, now })
  const stopObserving = observeGauge(
    'ssl.issuer.keys.available',
    { description: '1 while the keys of a token issuer are known, else 0: its tokens are refused.' },
    () => [[keys.current() ? 1 : 0, { issuer }]]
  )
  const refresh = () => void keys.refresh()
  let timer: NodeJS.Timeout | undefined
  app.addHook('onReady', async () => {
    refresh()
    timer = setInterval(refresh, Math.min(REFRESH_INTERVAL_MS, maxAgeMs / 2)).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    stopObserving()
    await close()
  })
  return keys
}
