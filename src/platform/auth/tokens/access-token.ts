import type { FastifyRequest } from 'fastify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Words } from '../../errors/language.js'
import { problem } from '../../errors/problem.js'
import { isStorable } from '../../json/json-bounds.js'

/** Milliseconds by which clocks may differ. */
export const LEEWAY_MS = 30_000

const malformedToken: Words = {
  en: 'Malformed JSON Web Token.',
  da: 'Adgangsnøglen er ikke en velformet JSON Web Token.'
}

export const tokenExpired: Words = { en: 'Token expired (exp).', da: 'Adgangsnøglen er udløbet (exp).' }

/** Makes a 401 with the challenge of RFC 6750. */
export const unauthorized = (detail?: Words, cause?: unknown, challenge = 'Bearer error="invalid_token"') =>
  problem('unauthorized', detail, { headers: { 'www-authenticate': challenge }, cause })

/**
 * Returns the token of the `authorization` header, sent bare or after `Bearer`.
 * @throws Problem `unauthorized` when there is none, more than one, or something else.
 */
export function bearerToken({ headers, raw }: FastifyRequest): string {
  // Of two such headers Node returns the first, and a proxy may have checked the other.
  const names = raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'authorization')
  if (names.length > 1)
    throw unauthorized({ en: 'Send one authorization header.', da: 'Send én authorization-header.' })
  const token = headers.authorization?.replace(/^bearer(?: +|$)/i, '').replace(/^ +$/, '')
  // RFC 6750, section 3.1: no error code without a token.
  if (!token)
    throw unauthorized(
      {
        en: 'Send a token in the authorization header.',
        da: 'Send en adgangsnøgle i headeren authorization.'
      },
      undefined,
      'Bearer'
    )
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw unauthorized(malformedToken)
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
    throw unauthorized({
      en: 'The header typ of the token must be JWT or at+jwt, or absent.',
      da: 'Adgangsnøglens header typ skal være JWT eller at+jwt eller udelades.'
    })
  // ID, refresh, logout and event tokens of the same issuer may carry the same claims.
  const isOther = typeof claims.typ === 'string' && /^(id|refresh|logout)$/i.test(claims.typ)
  if (isOther || claims.events !== undefined)
    throw unauthorized({
      en: 'Not an access token. ID, refresh, logout and event tokens are refused.',
      da: 'Det er ikke en adgangsnøgle (access token). ID-, refresh-, logout- og event-nøgler afvises.'
    })
  return { header, claims }
}

function decode(token: string) {
  try {
    const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)]
    if (isStorable(claims)) return { header, claims }
  } catch {
    // Without a cause: the parser's message quotes the token.
  }
  throw unauthorized(malformedToken)
}
