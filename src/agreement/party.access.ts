import type { AccessRule } from '../platform/auth/access.js'

/** Who may read parties; also what they are called in workbooks. */
export const partyRead: AccessRule = {
  permission: 'Party.read',
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'any' }
}
