import type { AccessRule } from '../platform/auth/access-rule.js'

/** Access rule for reading contracts, and their events. */
export const contractRead: AccessRule = {
  permission: 'Contract.read',
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'own-seller' }
}

/** Access rule for reading parties. The rule also applies to party names in workbooks. */
export const partyRead: AccessRule = {
  permission: 'Party.read',
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'any' }
}
