import type { Deadline } from '../server/deadline.js'
import type { AuditContext } from './audit-context.js'

export const userTypes = ['AdministrativeClerk', 'MonitoringResponsible', 'Provider'] as const
export type UserType = (typeof userTypes)[number]

/**
 * Which resources a caller can access on a route: all, those of its organization, those of the
 * buyers or of the sellers of its organization, or those it takes part in or registered.
 */
export type Scope = 'any' | 'own' | 'own-buyer' | 'own-seller' | 'administered'

/** The caller, from the token. */
export interface Caller {
  userType: UserType
  /** `user_id` of the token, or its `sub`. */
  userId: string | undefined
  /** The person's name, for notes. */
  name: string | undefined
  /** URL of the clinical Organization of the caller. */
  organization: string | undefined
  permissions: ReadonlySet<string>
  /** The token, forwarded to the clinical backend. Never logged. */
  token: string
}

/** The caller of a route, with the scope there. */
export interface Actor extends Caller {
  scope: Scope
  /** Collects the subjects of the audit record. */
  auditContext: AuditContext
  /** Deadline of the request. */
  deadline: Deadline
}
