import type { AccessRule } from '../../platform/auth/access.js'

/** Access rule for reading imports, and their events. */
export const importRead: AccessRule = {
  permission: 'Catalogue.read',
  also: ['CatalogueItem.read'],
  scopes: { AdministrativeClerk: 'any', Provider: 'own-seller' }
}
