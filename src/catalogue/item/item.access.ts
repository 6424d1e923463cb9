import type { AccessRule } from '../../platform/auth/access-rule.js'

/** Access of those who change items. */
export const itemWriters = { AdministrativeClerk: 'administered', Provider: 'own-seller' } as const

/** Access rule for reading items. */
export const itemRead: AccessRule = {
  permission: 'CatalogueItem.read',
  scopes: { ...itemWriters, AdministrativeClerk: 'any', MonitoringResponsible: 'any' }
}
