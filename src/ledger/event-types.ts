/** Types of events, by the API that reports them. */
export const eventTypes = {
  'ssl-order': [
    'order.created',
    'order.submitted',
    'order.status-changed',
    'order.priority-changed',
    'order.receiver-changed',
    'order.wish-changed',
    'order.note-added',
    'order.awaiting-changed',
    'order.overdue',
    'order-line.added',
    'order-line.status-changed',
    'order-line.agreed-changed',
    'order-line.device-changed',
    'order-line.removed',
    'order-line.delivery-due',
    'party.changed',
    'contract.changed',
    'contract.expiring'
  ],
  'ssl-catalogue': [
    'catalogue.changed',
    'catalogue-item.created',
    'catalogue-item.changed',
    'annotation.changed',
    'white-list.changed'
  ]
} as const

/** The name of an API with events. */
export type EventApi = keyof typeof eventTypes

export type EventType = (typeof eventTypes)[EventApi][number]

/** What happened to the resource. */
export type ResourceChange = 'created' | 'changed' | 'deleted'
