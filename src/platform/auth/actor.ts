import type { Deadline } from '../server/deadline.js'
import type { AuditContext } from './audit-context.js'

export const userTypes = ['AdministrativeClerk', 'MonitoringResponsible', 'Provider'] as const
export type UserType = (typeof userTypes)[number]

/**
 * How far a route reaches for a caller: everything; what the caller's organization made; what belongs to one of its buyers or
 * sellers; what it takes part in or registered.
 */
export type Scope = 'any' | 'own' | 'own-buyer' | 'own-seller' | 'administered'

/** Who is calling, as the token says. */
export interface Caller {
  userType: UserType
  /** `user_id` of the token, else its `sub`. */
  userId: string | undefined
  /** The person's name, for notes. */
  name: string | undefined
  /** URL of the clinical Organization the caller works for. */
  organization: string | undefined
  permissions: ReadonlySet<string>
  /** The token itself, for the remote parties that the caller is to be known to; it stands in no log. */
  token: string
}

/** The caller of a route, and how far it reaches for them. */
export interface Actor extends Caller {
  scope: Scope
  /** Notes whose data are touched, for the audit record. */
  auditContext: AuditContext
  /** How long the caller waits. */
  deadline: Deadline
}
