import { createHash } from 'node:crypto'

export const userTypes = ['AdministrativeClerk', 'MonitoringResponsible', 'Provider'] as const
export type UserType = (typeof userTypes)[number]

/** The caller, from the token. */
export interface Caller {
  userType: UserType
  /** `iss` of the token. `userId` is unique for each issuer. */
  issuer?: string | undefined
  /** `user_id` of the token, or its `sub`. */
  userId: string | undefined
  /** The person's name, for notes. */
  name: string | undefined
  /** URL of the clinical Organization of the caller. */
  organization: string | undefined
  permissions: ReadonlySet<string>
  /** `exp` of the token: seconds since 1970. */
  expiresAt?: number | undefined
  /** The id of a new resource: the claim `new_id`, only of an unsigned token. */
  newId?: string | undefined
  /** The token, forwarded to the clinical backend. Never logged. */
  token: string
}

/**
 * A key that all tokens of a caller share. Tokens without a user id are callers of their own:
 * nobody knows whose they are.
 */
export const callerKeyOf = ({ issuer, userType, userId, organization, token }: Caller): string =>
  JSON.stringify([issuer, userType, organization, userId ?? { token: hashOf(token) }])

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64')
