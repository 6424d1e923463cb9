import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { type Dispatcher, request } from 'undici'
import { isLoopback } from '../../util/loopback.js'

const TIMEOUT_MS = 5000
const headers = { accept: 'application/json, application/jwk-set+json' }

/**
 * Fetches the keys of an issuer: its OpenID discovery document, then the JWKS that it names.
 * @throws Error when either cannot be fetched or is malformed.
 */
export async function fetchKeys(dispatcher: Dispatcher, issuer: string) {
  const place = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { issuer: name, jwks_uri } = (await getJson(dispatcher, place)) as Record<string, unknown>
  if (name !== issuer) throw new Error('The discovery document names another issuer.')
  const url = new URL(typeof jwks_uri === 'string' ? jwks_uri : '')
  // Plain http only for loopback, and only if the issuer itself is http.
  const isLocal = url.protocol === 'http:' && isLoopback(url.hostname) && issuer.startsWith('http:')
  if (url.protocol !== 'https:' && !isLocal) throw new Error('The jwks_uri must be https.')
  return createLocalJWKSet((await getJson(dispatcher, url)) as JSONWebKeySet)
}

/** Redirects are not followed. */
async function getJson(dispatcher: Dispatcher, url: URL): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    dispatcher,
    headers,
    signal: AbortSignal.timeout(TIMEOUT_MS)
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`Status ${statusCode}, expected 200.`)
  return JSON.parse(text)
}
