import type { AccessRule } from '../../platform/auth/access-rule.js'

/** Access rule for reading imports, and their events. */
export const importRead: AccessRule = {
  permission: 'Catalogue.read',
  also: ['CatalogueItem.read'],
  scopes: { AdministrativeClerk: 'any', Provider: 'own-seller' }
}

/** Scopes of the user types that may import, by the sellers of catalogues. */
export const importScopes = { AdministrativeClerk: 'administered', Provider: 'own-seller' } as const

/** Access rule for updating a catalogue from a workbook, for its history, and for undoing. */
export const importUpdate: AccessRule = {
  permission: 'Catalogue.update',
  also: ['CatalogueItem.create', 'CatalogueItem.update'],
  scopes: importScopes
}
