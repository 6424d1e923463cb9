import { unauthorized } from './claims.js'
import type { Members } from './read.js'

/** Values of the header `typ` of an access token (RFC 7519, RFC 9068), in lower case and without `application/`. */
const accessTokenTypes = ['jwt', 'at+jwt']

/** Values of the claim `typ` with which issuers mark tokens that are no access tokens, in lower case. */
const otherTokens = ['id', 'refresh', 'logout']

/**
 * Makes sure that a token is an access token: neither an ID token nor a refresh or logout token of the same issuer, which
 * may carry the same claims.
 * @throws Problem `unauthorized`.
 */
export function assertAccessToken(header: Members, claims: Members): void {
  const { typ } = header
  const isAccess = typeof typ === 'string' && accessTokenTypes.includes(mediaType(typ))
  if (Object.hasOwn(header, 'typ') && !isAccess)
    throw unauthorized('The token’s header typ must be JWT or at+jwt, or absent.')
  const claimed = Object.hasOwn(claims, 'typ') ? claims.typ : undefined
  if (typeof claimed === 'string' && otherTokens.includes(claimed.toLowerCase()))
    throw unauthorized('The token is an ID, refresh or logout token. Send the access token.')
  if (Object.hasOwn(claims, 'events'))
    throw unauthorized('The token is a logout or security event token. Send the access token.')
}

/** RFC 7515, section 4.1.9: the prefix may be left out; media types are compared without regard to case. */
const mediaType = (typ: string) => typ.toLowerCase().replace(/^application\//, '')
