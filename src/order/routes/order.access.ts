import type { AccessRule } from '../../platform/auth/access-rule.js'

type SideAccess = Omit<AccessRule, 'permission'>

/** For access rules of orders and what belongs to them: the buyer's side only. */
export const asBuyer: SideAccess = { scopes: { MonitoringResponsible: 'own-buyer' }, patientData: true }

/** For new orders, and the check whether their items can be ordered. */
export const createOrderAccess: AccessRule = { permission: 'Order.create', ...asBuyer }

/** For new lines, alone and together with their order. */
export const createLineAccess: AccessRule = { permission: 'OrderLine.create', ...asBuyer }

/** The buyer's and the seller's side. */
export const asEitherSide: SideAccess = {
  scopes: { ...asBuyer.scopes, Provider: 'own-seller' },
  patientData: true
}

/** Reading orders, and the events of orders and their lines. */
export const orderRead: AccessRule = { permission: 'Order.read', ...asEitherSide }
