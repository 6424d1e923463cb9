import { createHash } from 'node:crypto'
import type { SlotOwner } from '../concurrency/quotas.js'

export const userTypes = ['AdministrativeClerk', 'MonitoringResponsible', 'Provider'] as const
export type UserType = (typeof userTypes)[number]

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

/**
 * `<Resource>.<verb>`. `<Resource>.write` covers all verbs except read, `<Resource>.*` all verbs.
 */
export type Permission = `${string}.${'read' | 'create' | 'update' | 'delete'}`

/** Whether the token has the permission or a wider one (`<Resource>.write`, `<Resource>.*`). */
export function hasPermission({ permissions }: Caller, permission: Permission): boolean {
  const [resource, verb] = permission.split('.')
  return (
    permissions.has(permission) ||
    permissions.has(`${resource}.*`) ||
    (verb !== 'read' && permissions.has(`${resource}.write`))
  )
}

/**
 * A key that all tokens of a caller share. Each token without a user id counts as a separate
 * caller.
 */
export const callerKeyOf = ({ issuer, userType, userId, organization, token }: Caller): string =>
  JSON.stringify([issuer, userType, organization, userId ?? { token: hashOf(token) }])

export const slotOwnerOf = (caller: Caller): SlotOwner => ({
  caller: callerKeyOf(caller),
  organization: caller.organization ?? ''
})

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64')
