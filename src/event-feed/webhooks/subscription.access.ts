import type { AccessRule } from '../../platform/auth/access.js'

const scopes = { AdministrativeClerk: 'own', MonitoringResponsible: 'own', Provider: 'own' } as const

/** Access rules of subscriptions: those of the caller's organization, whatever its user type. */
export const subscriptionAccess = {
  create: { permission: 'Subscription.create', scopes },
  read: { permission: 'Subscription.read', scopes },
  update: { permission: 'Subscription.update', scopes },
  delete: { permission: 'Subscription.delete', scopes }
} as const satisfies Record<string, AccessRule>
