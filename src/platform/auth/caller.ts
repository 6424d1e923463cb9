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
  /** The token, forwarded to the clinical backend. Never logged. */
  token: string
}

/** A key that all tokens of a caller share. Unique among the callers of one issuer. */
export const callerKeyOf = ({ userType, userId, organization }: Caller): string =>
  JSON.stringify([userType, userId, organization])
