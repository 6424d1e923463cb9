import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { withoutTrailingSlash } from '../../urls/resource-urls.js'
import { type Caller, userTypes } from '../caller.js'
import { authProblem } from '../texts.js'
import { invalidToken } from './access-token.js'

/** Maximum bytes of an organization URL, which is stored in an index. */
const MAX_ORGANIZATION_BYTES = 2048

/** Seconds since 1970, up to the year 9999. A later date is one in milliseconds. */
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
