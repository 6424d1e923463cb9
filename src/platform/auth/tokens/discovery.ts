import { createLocalJWKSet, type JWK } from 'jose'
import { Agent, request } from 'undici'
import { isLoopback } from '../../util/loopback.js'

const TIMEOUT_MS = 5000
const MAX_RESPONSE_BYTES = 262_144

type GetJson = (url: URL) => Promise<unknown>

/** Opens connections to one issuer, so that a slow issuer does not block others. */
export function createIssuerClient(): { getJson: GetJson; close: () => Promise<void> } {
  const dispatcher = new Agent({ connect: { timeout: TIMEOUT_MS }, maxResponseSize: MAX_RESPONSE_BYTES })
  const headers = { accept: 'application/json, application/jwk-set+json' }
  async function getJson(url: URL) {
    const options = { dispatcher, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }
    const { statusCode, body } = await request(url, options)
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`Status ${statusCode}, expected 200.`)
    return JSON.parse(text)
  }
  return { getJson, close: () => dispatcher.destroy() }
}

/**
 * Fetches the keys of an issuer: its OpenID discovery document, then the JWKS that it names.
 * @throws Error when either cannot be fetched or is malformed.
 */
export async function fetchKeys(getJson: GetJson, issuer: string) {
  const discovery = await getJson(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))
  const { issuer: name, jwks_uri } = discovery as Record<'issuer' | 'jwks_uri', unknown>
  if (name !== issuer) throw new Error('The discovery document names another issuer.')
  const url = new URL(typeof jwks_uri === 'string' ? jwks_uri : '')
  // Plain http only for loopback, and only if the issuer itself is http.
  const isLocal = url.protocol === 'http:' && isLoopback(url.hostname) && issuer.startsWith('http:')
  if (url.protocol !== 'https:' && !isLocal) throw new Error('The jwks_uri must be https.')
  const { keys } = (await getJson(url)) as { keys: unknown[] }
  // jose rejects the whole set for one entry that is no object.
  const objects = keys.filter((key) => typeof key === 'object' && key !== null && !Array.isArray(key))
  return createLocalJWKSet({ keys: objects as JWK[] })
}
