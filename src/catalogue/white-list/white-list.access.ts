import type { AccessRule } from '../../platform/auth/access-rule.js'

const write = { AdministrativeClerk: 'administered-buyer' } as const

/** Access rules of white lists, also of those in workbooks, and of their events. */
export const whiteListAccess = {
  create: { permission: 'WhiteList.create', scopes: write },
  delete: { permission: 'WhiteList.delete', scopes: write },
  read: { permission: 'WhiteList.read', scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any' } }
} as const satisfies Record<string, AccessRule>
