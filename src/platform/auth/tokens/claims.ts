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

/** A claim of a token, for operators. */
interface ClaimDescription {
  isRequired: boolean
  example: unknown
  decides: string
}

/** What each claim of a verified token decides. The rest of a token is ignored. */
export const claimDescriptions = {
  iss: {
    isRequired: true,
    example: 'https://login.example/realms/ssl',
    decides: 'Whose keys verify the token: one of `TOKEN_ISSUERS`.'
  },
  aud: {
    isRequired: false,
    example: 'ssl-backend',
    decides: 'Must name `TOKEN_AUDIENCE`, where that is set. `preprod` and `prod` require it.'
  },
  exp: {
    isRequired: true,
    example: 1_792_000_000,
    decides: 'Until when the token is accepted, in seconds since 1970.'
  },
  nbf: { isRequired: false, example: 1_791_999_700, decides: 'From when on.' },
  user_type: {
    isRequired: true,
    example: 'MonitoringResponsible',
    decides: `What the caller may do at all: ${userTypes.map((each) => `\`${each}\``).join(', ')}.`
  },
  'realm_access.roles': {
    isRequired: false,
    example: ['Order.*', 'OrderLine.*', 'Party.read'],
    decides: 'The permissions. Without them no operation is allowed.'
  },
  'context.organization_id': {
    isRequired: false,
    example: 'https://fhir.example/Organization/aarhus-kommune',
    decides:
      'What the caller sees and changes: the resources of this clinical Organization, named by its URL.'
  },
  user_id: {
    isRequired: false,
    example: '7f1c1f5e',
    decides: 'Who acted, in the audit record. Default: `sub`. A token needs one of the two.'
  },
  sub: {
    isRequired: false,
    example: '7f1c1f5e',
    decides: 'As `user_id`, in tokens without `user_id`.'
  },
  name: { isRequired: false, example: 'Sofie Sygeplejerske', decides: 'The author of notes.' }
} as const satisfies Record<string, ClaimDescription>

/**
 * Reads the caller from the claims of a token.
 * @throws Problem `unauthorized` when one is missing or malformed, `forbidden` for an unknown user
 * type.
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
