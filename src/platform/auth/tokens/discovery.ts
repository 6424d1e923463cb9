import { type Dispatcher, request } from 'undici'
import { isLoopback } from '../../urls/loopback.js'
import type { KeySet } from './issuer-keys.js'
import { keySetOf } from './key-set.js'
import { type SignInIssuer, signInIssuerOf } from './sign-in-issuer.js'

const TIMEOUT_MS = 5000
const headers = { accept: 'application/json, application/jwk-set+json' }

/**
 * Fetches what an issuer publishes: its OpenID discovery document, then the JWKS that it names.
 * @throws Error when either cannot be fetched or is malformed, or no key can verify tokens.
 */
export async function fetchIssuer(
  dispatcher: Dispatcher,
  issuer: string
): Promise<{ keys: KeySet; signIn: SignInIssuer | undefined }> {
  const place = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const document = (await getJson(dispatcher, place)) as Record<string, unknown>
  if (document.issuer !== issuer) throw new Error('The discovery document names another issuer.')
  // Plain http only for loopback, and only if the issuer itself is http.
  const isSecure = ({ protocol, hostname }: URL) =>
    protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname) && issuer.startsWith('http:'))
  const url = new URL(typeof document.jwks_uri === 'string' ? document.jwks_uri : '')
  if (!isSecure(url)) throw new Error('The jwks_uri must be https.')
  const keys = await keySetOf(await getJson(dispatcher, url))
  return { keys, signIn: signInIssuerOf(issuer, document, isSecure) }
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
