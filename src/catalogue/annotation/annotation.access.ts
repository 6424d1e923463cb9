import type { AccessRule } from '../../platform/auth/access-rule.js'

const write = { AdministrativeClerk: 'administered-buyer' } as const
const read = { AdministrativeClerk: 'any', MonitoringResponsible: 'any' } as const

/**
 * Access rules of annotations. They also apply to the annotations in requests and responses of
 * items.
 */
export const annotationAccess = {
  create: { permission: 'Annotation.create', scopes: write },
  update: { permission: 'Annotation.update', scopes: write },
  delete: { permission: 'Annotation.delete', scopes: write },
  read: { permission: 'Annotation.read', scopes: read }
} as const satisfies Record<string, AccessRule>
