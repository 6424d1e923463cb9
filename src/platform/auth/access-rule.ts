import type { Scope } from './call.js'
import type { Permission, UserType } from './caller.js'

/**
 * The access rule of a route: the required permission, and the scope of each admitted user type.
 */
export interface AccessRule {
  permission: Permission
  also?: readonly Permission[]
  /** Permissions each of which gives access to a part of the route. */
  alternatives?: readonly Permission[]
  scopes: Readonly<Partial<Record<UserType, Scope>>>
  /** Whether the route is on patient data: it is audited, and responses must not be stored. */
  patientData?: true
}

/** `uncounted` is public, and outside the rate limit: health checks and preflight requests. */
export type RouteAccess = 'public' | 'uncounted' | AccessRule

export const isOnPatients = (access: RouteAccess | undefined): boolean =>
  typeof access === 'object' && access.patientData === true

export const permissionsOf = ({ permission, also = [] }: AccessRule): Permission[] => [permission, ...also]
