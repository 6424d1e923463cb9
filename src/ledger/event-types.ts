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
    'order.removed',
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

export function eventApiOf(type: EventType): EventApi {
  const apis = Object.entries(eventTypes) as [EventApi, readonly EventType[]][]
  const api = apis.find(([, types]) => types.includes(type))?.[0]
  if (!api) throw new Error(`No API reports ${type}`)
  return api
}

export type ResourceChange = 'created' | 'changed' | 'deleted'
