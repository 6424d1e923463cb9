import type { AccessRule } from '../../platform/auth/access.js'

const write = { AdministrativeClerk: 'own-buyer' } as const
const read = { AdministrativeClerk: 'any', MonitoringResponsible: 'any' } as const

/** Who may do what with annotations; also where they come along with items. */
export const annotationAccess = {
  create: { permission: 'Annotation.create', scopes: write },
  update: { permission: 'Annotation.update', scopes: write },
  delete: { permission: 'Annotation.delete', scopes: write },
  read: { permission: 'Annotation.read', scopes: read }
} as const satisfies Record<string, AccessRule>
