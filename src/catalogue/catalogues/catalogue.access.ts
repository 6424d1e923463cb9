import type { AccessRule } from '../../platform/auth/access-rule.js'

/** Access rule for reading catalogues, and their events. */
export const catalogueRead: AccessRule = {
  permission: 'Catalogue.read',
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'own-seller' }
}
