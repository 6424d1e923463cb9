import type { FastifyRequest } from 'fastify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { problem } from '../../errors/problem.js'
import { isStorable } from '../../json/json-bounds.js'

/** Milliseconds by which clocks may differ. */
export const LEEWAY_MS = 30_000

/** Makes a 401 with the challenge of RFC 6750. */
export const unauthorized = (detail: string, cause?: unknown, challenge = 'Bearer error="invalid_token"') =>
  problem('unauthorized', detail, { headers: { 'www-authenticate': challenge }, cause })

/**
 * Returns the token of the `authorization` header, sent bare or after `Bearer`.
 * @throws Problem `unauthorized` when there is none, more than one, or something else.
 */
export function bearerToken({ headers, raw }: FastifyRequest): string {
  // Of two such headers Node returns the first, and a proxy may have checked the other.
  const names = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'authorization')
  if (names.length > 1) throw unauthorized('Send one authorization header.')
  const token = headers.authorization?.replace(/^bearer(?: +|$)/i, '').replace(/^ +$/, '')
  // RFC 6750, section 3.1: no error code without a token.
  if (!token) throw unauthorized('Send a token in the authorization header.', undefined, 'Bearer')
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw unauthorized('Not a JSON Web Token.')
  return token
}

/**
 * Decodes a token and checks that it is an access token. Neither signature nor dates are verified.
 * @throws Problem `unauthorized`.
 */
export function decodeToken(token: string) {
  const { header, claims } = decode(token)
  const { typ } = header
  // RFC 9068; RFC 7515, section 4.1.9: the prefix is optional, case does not matter.
  if (typ !== undefined && !(typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ)))
    throw unauthorized('The header typ must be JWT or at+jwt, or absent.')
  // ID, refresh, logout and event tokens of the same issuer may carry the same claims.
  const isOther = typeof claims.typ === 'string' && /^(id|refresh|logout)$/i.test(claims.typ)
  if (isOther || claims.events !== undefined)
    throw unauthorized('Not an access token. ID, refresh, logout and event tokens are refused.')
  return { header, claims }
}

function decode(token: string) {
  try {
    const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)]
    if (isStorable(claims)) return { header, claims }
  } catch {
    // Without a cause: the parser's message quotes the token.
  }
  throw unauthorized('Malformed JSON Web Token.')
}
