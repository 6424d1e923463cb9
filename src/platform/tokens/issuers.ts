import { KeyObject } from 'node:crypto'
import { type CryptoKey, createRemoteJWKSet, errors, type JWTHeaderParameters } from 'jose'
import { problem } from '../problem.js'
import { unauthorized } from './claims.js'

type KeySet = ReturnType<typeof createRemoteJWKSet>

/** Milliseconds an issuer may take to answer. */
const patience = 5000
/** Milliseconds before an unknown `kid` may cause another fetch of the issuer's keys. */
const coolDown = 30_000

/**
 * Finds the public key (PEM) that a token of one of the trusted issuers was signed with. Keys come from the issuer's
 * OpenID discovery document and JWKS, follow its rotation, and no redirect is followed to get them.
 */
export function issuerKeys(issuers: readonly string[]) {
  const keySets = new Map<string, Promise<KeySet>>()
  const pems = new WeakMap<CryptoKey, string>()

  function keySetOf(issuer: string): Promise<KeySet> {
    const known = keySets.get(issuer)
    if (known) return known
    const discovered = discover(issuer)
    keySets.set(issuer, discovered)
    // A discovery that failed is tried again by the next request.
    discovered.catch(() => keySets.delete(issuer))
    return discovered
  }

  /** @throws Problem `unauthorized` for a stranger's token, `token-issuer-unavailable` when keys cannot be had. */
  return async function publicKey(header: JWTHeaderParameters, issuer: unknown): Promise<string> {
    if (typeof issuer !== 'string' || !issuers.includes(issuer))
      throw unauthorized('The token’s issuer is not trusted.')
    try {
      const keySet = await keySetOf(issuer)
      return pemOf(await keySet({ alg: header.alg, kid: header.kid } as JWTHeaderParameters))
    } catch (cause) {
      if (isStranger(cause)) throw unauthorized('The token is not signed with a key of its issuer.', cause)
      throw problem(
        'token-issuer-unavailable',
        'The token issuer’s keys cannot be fetched. Try again later.',
        { headers: { 'retry-after': '30' }, cause }
      )
    }
  }

  function pemOf(key: CryptoKey): string {
    const pem = pems.get(key) ?? KeyObject.from(key).export({ type: 'spki', format: 'pem' }).toString()
    pems.set(key, pem)
    return pem
  }
}

const isStranger = (cause: unknown) =>
  cause instanceof errors.JWKSNoMatchingKey ||
  cause instanceof errors.JWKSMultipleMatchingKeys ||
  cause instanceof errors.JOSENotSupported

async function discover(issuer: string): Promise<KeySet> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(patience) })
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`)
  const document = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown }
  if (document.issuer !== issuer || typeof document.jwks_uri !== 'string')
    throw new Error(`${address} does not describe the issuer ${issuer}`)
  return createRemoteJWKSet(new URL(document.jwks_uri), {
    timeoutDuration: patience,
    cooldownDuration: coolDown
  })
}
