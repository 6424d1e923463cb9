import { KeyObject } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { type Dispatcher, request } from 'undici'
import { isLoopback } from '../../urls/addressing.js'
import type { KeySet } from './issuer-keys.js'

const TIMEOUT_MS = 5000
const headers = { accept: 'application/json, application/jwk-set+json' }

/**
 * Fetches the OpenID discovery document of an issuer, then the JWKS that it names.
 * @throws Error when a document is unavailable or malformed, or no key can verify tokens.
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

/** Asymmetric only: with a shared secret, a verifier could also sign. */
export const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ')

const MIN_RSA_BITS = 2048

/**
 * Reads the keys of a JWKS that can verify tokens.
 * @throws Error when the JWKS is malformed or has no such key.
 */
export async function keySetOf(jwks: unknown): Promise<KeySet> {
  const { keys } = createLocalJWKSet(jwks as JSONWebKeySet).jwks()
  const usable: typeof keys = []
  for (const key of keys) if (await isUsable(key)) usable.push(key)
  if (usable.length === 0) throw new Error('The JWKS has no key that can verify tokens.')
  return createLocalJWKSet({ keys: usable })
}

/** Whether jose selects and imports the public key for an algorithm, and the key is secure. */
async function isUsable(jwk: JSONWebKeySet['keys'][number]): Promise<boolean> {
  const only = createLocalJWKSet({ keys: [jwk] })
  for (const alg of algorithms) {
    const key = await only({ alg }).then(KeyObject.from, () => undefined)
    if (key) return isSecure(key)
  }
  return false
}

/** With the exponent 1 anyone can make a signature. An even exponent belongs to no RSA key. */
function isSecure({ asymmetricKeyDetails: { modulusLength, publicExponent } = {} }: KeyObject): boolean {
  if (modulusLength === undefined || publicExponent === undefined) return true
  return modulusLength >= MIN_RSA_BITS && publicExponent > 1n && publicExponent % 2n === 1n
}

/** The members of a discovery document (RFC 8414) with which a page signs in. */
export interface SignInIssuer {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  end_session_endpoint?: string
  authorization_response_iss_parameter_supported?: boolean
  id_token_signing_alg_values_supported?: string[]
}

/**
 * URLs allow further characters in a host. `;` and `*` have a meaning in a content security policy.
 */
const isPlainHost = /^[\w.:[\]-]+$/

/** Undefined if an endpoint is missing or insecure. The keys of the issuer are usable anyway. */
export function signInIssuerOf(
  issuer: string,
  document: Readonly<Record<string, unknown>>,
  isSecure: (url: URL) => boolean
): SignInIssuer | undefined {
  const urlOf = (name: string) => {
    const text = document[name]
    if (typeof text !== 'string' || !URL.canParse(text)) return undefined
    const url = new URL(text)
    return isSecure(url) && isPlainHost.test(url.host) ? text : undefined
  }
  const [authorization, token, endSession] = [
    urlOf('authorization_endpoint'),
    urlOf('token_endpoint'),
    urlOf('end_session_endpoint')
  ]
  if (authorization === undefined || token === undefined) return undefined
  const algorithms = document.id_token_signing_alg_values_supported
  return {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(endSession !== undefined && { end_session_endpoint: endSession }),
    ...(document.authorization_response_iss_parameter_supported === true && {
      authorization_response_iss_parameter_supported: true
    }),
    ...(Array.isArray(algorithms) && { id_token_signing_alg_values_supported: algorithms.map(String) })
  }
}
