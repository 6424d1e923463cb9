import { isLoopback } from '../../util/loopback.js'
import type { IssuerHttp } from './issuer-http.js'
import { type KeySet, keySetOf } from './key-set.js'

/**
 * Fetches an issuer's keys: its OpenID discovery document, and the JWKS that the document names.
 * @throws Error when either cannot be had, or is not what it should be.
 */
export async function fetchKeys(http: IssuerHttp, issuer: string): Promise<KeySet> {
  const document = await http.getJson(discoveryUrl(issuer))
  return keySetOf(await http.getJson(keysUrl(document, issuer)))
}

const discoveryUrl = (issuer: string) =>
  new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)

function keysUrl(document: unknown, issuer: string): URL {
  const { issuer: name, jwks_uri: place } = (document ?? {}) as { issuer?: unknown; jwks_uri?: unknown }
  if (name !== issuer) throw new Error('The discovery document is about another issuer.')
  const url = typeof place === 'string' && URL.canParse(place) ? new URL(place) : undefined
  if (url === undefined || !isAllowed(url, new URL(issuer)))
    throw new Error('The discovery document names no address for keys that can be used.')
  return url
}

/** Plain http does within this machine alone, where nobody stands between, and an issuer elsewhere must not send us there. */
const isAllowed = (url: URL, issuer: URL) =>
  url.protocol === 'https:' ||
  (url.protocol === 'http:' && issuer.protocol === 'http:' && isLoopback(url.hostname))
