import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { FastifyRequest } from 'fastify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { isStorable } from '../../json/json-bounds.js'
import { withoutTrailingSlash } from '../../urls/resource-urls.js'
import { type Caller, userTypes } from '../caller.js'
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
  // Node returns the first of two such headers, but a proxy may have checked the second.
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

/** Maximum bytes of an organization URL, which is stored in an index. */
const MAX_ORGANIZATION_BYTES = 2048

/**
 * Seconds since 1970, up to the year 9999. A greater number must be in milliseconds, so it is
 * rejected.
 */
const NumericDate = Type.Number({ minimum: 0, maximum: 253_402_300_799 })

const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const Claims = Type.Object({
  user_type: Type.String({ minLength: 1 }),
  user_id: optional(Type.String()),
  iss: optional(Type.String()),
  sub: optional(Type.String()),
  exp: optional(NumericDate),
  nbf: optional(NumericDate),
  name: optional(Type.String()),
  context: optional(Type.Object({ organization_id: optional(Type.String()) })),
  realm_access: optional(Type.Object({ roles: optional(Type.Array(Type.String())) }))
})

const malformedClaim = (path = '') => authProblem('unauthorized.malformedClaim', null, { path }, invalidToken)

/**
 * Reads the caller from the claims of a token.
 * @throws Problem `unauthorized`, `forbidden`.
 */
export function callerOf(claims: object): Omit<Caller, 'token'> {
  if (!Value.Check(Claims, claims)) throw malformedClaim(Value.Errors(Claims, claims).First()?.path)
  const userType = userTypes.find((known) => known === claims.user_type)
  if (!userType) throw authProblem('forbidden.unknownUserType', null, { userTypes: userTypes.join(', ') })
  const organization = claims.context?.organization_id || undefined
  if (organization && Buffer.byteLength(organization) > MAX_ORGANIZATION_BYTES)
    throw malformedClaim('/context/organization_id')
  return {
    userType,
    issuer: claims.iss ?? undefined,
    userId: claims.user_id || claims.sub || undefined,
    name: claims.name || undefined,
    organization: organization && withoutTrailingSlash(organization),
    permissions: new Set(claims.realm_access?.roles),
    expiresAt: claims.exp ?? undefined
  }
}
