import type { FastifyRequest } from 'fastify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { isStorable } from '../../json/json-bounds.js'
import { authProblem } from '../texts.js'

/** Milliseconds by which clocks may differ. */
export const LEEWAY_MS = 30_000

/** The challenge of a 401 (RFC 6750). */
export const invalidToken = { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }

/** RFC 6750, section 3.1: no error code without a token. */
const noToken = { headers: { 'www-authenticate': 'Bearer' } }

const malformedToken = () => authProblem('unauthorized.malformed', null, null, invalidToken)

/**
 * Returns the token of the `authorization` header, bare or after `Bearer`.
 * @throws Problem `unauthorized`.
 */
export function bearerToken({ headers, raw }: FastifyRequest): string {
  // Of two such headers Node returns the first, and a proxy may have checked the other.
  const names = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'authorization')
  if (names.length > 1) throw authProblem('unauthorized.severalHeaders', null, null, invalidToken)
  const token = headers.authorization?.replace(/^bearer(?: +|$)/i, '').replace(/^ +$/, '')
  if (token && /^[a-z]+ /i.test(token))
    throw authProblem('unauthorized.otherScheme', null, null, invalidToken)
  if (!token) throw authProblem('unauthorized.noToken', null, null, noToken)
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw malformedToken()
  return token
}

/**
 * Decodes an access token. Neither signature nor dates are verified.
 * @throws Problem `unauthorized`.
 */
export function decodeToken(token: string) {
  const { header, claims } = decode(token)
  const { typ } = header
  // RFC 9068; RFC 7515, section 4.1.9: the prefix is optional, case does not matter.
  if (typ !== undefined && !(typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ)))
    throw authProblem('unauthorized.headerType', null, null, invalidToken)
  // ID, refresh, logout and event tokens of the same issuer may carry the same claims.
  const isOther = typeof claims.typ === 'string' && /^(id|refresh|logout)$/i.test(claims.typ)
  if (isOther || claims.events !== undefined)
    throw authProblem('unauthorized.otherToken', null, null, invalidToken)
  return { header, claims }
}

function decode(token: string) {
  try {
    const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)]
    if (isStorable(claims)) return { header, claims }
  } catch {
    // Without a cause: the parser's message quotes the token.
  }
  throw malformedToken()
}
