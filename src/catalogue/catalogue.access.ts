import type { AccessRule } from '../platform/auth/access-rule.js'
import type { Call } from '../platform/auth/call.js'
import { isAuthorized } from '../platform/auth/scope.js'

/** Access rule for reading catalogues, and their events. */
export const catalogueRead: AccessRule = {
  permission: 'Catalogue.read',
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'own-seller' }
}

export const itemWriters = { AdministrativeClerk: 'administered', Provider: 'own-seller' } as const

export const itemRead: AccessRule = {
  permission: 'CatalogueItem.read',
  scopes: { ...itemWriters, AdministrativeClerk: 'any', MonitoringResponsible: 'any' }
}

/** Access of callers who change the resources of buyers, and of callers who read them. */
const buyers = { AdministrativeClerk: 'administered-buyer' } as const
const readers = { AdministrativeClerk: 'any', MonitoringResponsible: 'any' } as const

/**
 * Access rules of annotations. These rules also apply to the annotations in requests and responses
 * of items.
 */
export const annotationAccess = {
  create: { permission: 'Annotation.create', scopes: buyers },
  update: { permission: 'Annotation.update', scopes: buyers },
  delete: { permission: 'Annotation.delete', scopes: buyers },
  read: { permission: 'Annotation.read', scopes: readers }
} as const satisfies Record<string, AccessRule>

/** Access rules of white lists, also of those in workbooks, and of their events. */
export const whiteListAccess = {
  create: { permission: 'WhiteList.create', scopes: buyers },
  delete: { permission: 'WhiteList.delete', scopes: buyers },
  read: { permission: 'WhiteList.read', scopes: readers }
} as const satisfies Record<string, AccessRule>

/** The parts of a catalogue's content that belong to buyers, not to its seller. */
export const buyerParts = ['annotations', 'whiteList'] as const
export type BuyerPart = (typeof buyerParts)[number]

export const buyerPartRules = { annotations: annotationAccess.create, whiteList: whiteListAccess.create }

export const importableParts = (call: Call): ReadonlySet<BuyerPart> =>
  new Set(buyerParts.filter((part) => isAuthorized(call.caller, buyerPartRules[part])))
