import type { AccessRule } from '../platform/auth/access-rule.js'

const scopes = { AdministrativeClerk: 'own', MonitoringResponsible: 'own', Provider: 'own' } as const

/** Access rules of subscriptions: each user type may use those of its own organization. */
export const subscriptionAccess = {
  create: { permission: 'Subscription.create', scopes },
  read: { permission: 'Subscription.read', scopes },
  update: { permission: 'Subscription.update', scopes },
  delete: { permission: 'Subscription.delete', scopes }
} as const satisfies Record<string, AccessRule>
