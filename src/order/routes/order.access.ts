import type { AccessRule } from '../../platform/auth/access-rule.js'

/*
 * The access rules of the routes of orders, order lines and traces. The steps of a patch decide
 * which members and transitions each side may change.
 */

type SideAccess = Omit<AccessRule, 'permission'>

export const asBuyer: SideAccess = { scopes: { MonitoringResponsible: 'own-buyer' }, patientData: true }

const asEitherSide: SideAccess = {
  scopes: { ...asBuyer.scopes, Provider: 'own-seller' },
  patientData: true
}

/** New orders, and the orderability check of their items. */
export const orderCreate: AccessRule = { permission: 'Order.create', ...asBuyer }
/** Orders, and the events of orders and their lines. */
export const orderRead: AccessRule = { permission: 'Order.read', ...asEitherSide }
export const orderUpdate: AccessRule = { permission: 'Order.update', ...asEitherSide }
export const orderDelete: AccessRule = { permission: 'Order.delete', ...asBuyer }

/** New lines, alone and together with their order. */
export const lineCreate: AccessRule = { permission: 'OrderLine.create', ...asBuyer }
export const lineRead: AccessRule = { permission: 'OrderLine.read', ...asEitherSide }
export const lineUpdate: AccessRule = { permission: 'OrderLine.update', ...asEitherSide }
export const lineDelete: AccessRule = { permission: 'OrderLine.delete', ...asBuyer }

export const traceRead: AccessRule = { permission: 'TraceLine.read', ...asEitherSide }
