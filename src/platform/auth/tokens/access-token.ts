import type { FastifyRequest } from 'fastify'
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import { Problem, problem } from '../../errors/problem.js'
import { isStorable } from '../../json/json-body-parser.js'
import { assertNesting, assertNoDuplicateKeys } from '../../json/strict-json.js'

/** Seconds by which clocks may differ. */
const LEEWAY_SECONDS = 30
/** The last second of the year 9999. A later date is one in milliseconds. */
export const LAST_SECOND = 253_402_300_799
const MAX_TOKEN_LENGTH = 16_384

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
  if (token.length > MAX_TOKEN_LENGTH) throw unauthorized(`Maximum token length: ${MAX_TOKEN_LENGTH}.`)
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw unauthorized('Not a JSON Web Token.')
  return token
}

/**
 * Decodes a token and checks that it is an access token. Neither signature nor dates are verified.
 * @throws Problem `unauthorized`.
 */
export function decodeToken(token: string) {
  const [header, claims] = [decode(decodeProtectedHeader, token, 0), decode(decodeJwt, token, 1)]
  const { typ } = header
  // RFC 9068; RFC 7515, section 4.1.9: the prefix is optional, case does not matter.
  if (typ !== undefined && !(typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ)))
    throw unauthorized('The header typ must be JWT or at+jwt, or absent.')
  // ID, refresh, logout and event tokens of the same issuer may carry the same claims.
  if (/^(id|refresh|logout)$/i.test(String(claims.typ)) || claims.events !== undefined)
    throw unauthorized('Not an access token. ID, refresh, logout and event tokens are refused.')
  return { header, claims }
}

/** Whether a part of a token is the one base64url form of its bytes. */
export const isCanonical = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part

/** Decoders differ on exponents, and JSON.parse hides them. An escaped name may name a date. */
const dateWithExponent = /"(?:exp|nbf|iat|[^"\\]*\\u[^"]*)"\s*:\s*-?[\d.]+e/i

/** Decodes a part, and refuses what jose accepts but another decoder may read differently. */
function decode<T extends object>(decoder: (token: string) => T, token: string, index: 0 | 1): T {
  const part = token.split('.')[index] ?? ''
  const text = Buffer.from(part, 'base64url').toString()
  try {
    assertNesting(text, undefined, () => unauthorized('Claims nested too deep.'))
    const value = decoder(token)
    assertNoDuplicateKeys(text, value, () => unauthorized('Duplicate claim.'))
    const isPlain = !text.startsWith('\ufeff') && !dateWithExponent.test(text)
    if (isCanonical(part) && isPlain && isStorable(value)) return value
  } catch (cause) {
    if (cause instanceof Problem) throw cause
  }
  // Without a cause: the parser's message quotes the token.
  throw unauthorized('Malformed JSON Web Token.')
}

/**
 * Checks `exp`, `nbf` and `iat`. Both libraries do so only after the key is found, but an expired
 * token must not ask its issuer for keys. Neither refuses an optional `iat` in the future or a date
 * in milliseconds; @fastify/jwt accepts the very moment of `exp` (against RFC 7519, section 4.1.4).
 * @returns milliseconds since 1970 at which the token expires, without the leeway.
 * @throws Problem `unauthorized`.
 */
export function checkDates({ exp, nbf = 0, iat = 0 }: JWTPayload, now: number): number {
  const isDate = (date: unknown) => typeof date === 'number' && date >= 0 && date <= LAST_SECOND
  if (exp === undefined || ![exp, nbf, iat].every(isDate))
    throw unauthorized('exp is required; exp, nbf and iat must be seconds since 1970.')
  const second = Math.floor(now / 1000)
  if (exp <= second - LEEWAY_SECONDS) throw unauthorized('Token expired (exp).')
  if (nbf > second + LEEWAY_SECONDS) throw unauthorized('Token not yet valid (nbf).')
  if (iat > second + LEEWAY_SECONDS) throw unauthorized('Token not yet valid (iat).')
  return exp * 1000
}
