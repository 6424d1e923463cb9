import type { Words } from '../../platform/errors/language.js'
import { isClosed, type OrderStatus } from './order.state.js'

/** Who may change a member of an order with a PATCH, and in which statuses of the order. */
export interface ChangeRule {
  /** Content belongs to the buyer: its references are checked for the buyer's organization. */
  by: 'MonitoringResponsible'
  allows(status: OrderStatus): boolean
  /** The problem in every other status. */
  code: 'order-not-draft' | 'order-closed'
  detail: Words
}

export const inDraft: ChangeRule = {
  by: 'MonitoringResponsible',
  allows: (status) => status === 'DRAFT',
  code: 'order-not-draft',
  detail: {
    en: 'This member can only change while it is a DRAFT.',
    da: 'Feltet kan kun ændres, mens den er DRAFT.'
  }
}

export const untilClosed: ChangeRule = {
  by: 'MonitoringResponsible',
  allows: (status) => !isClosed(status),
  code: 'order-closed',
  detail: { en: 'This member can no longer change.', da: 'Feltet kan ikke længere ændres.' }
}
