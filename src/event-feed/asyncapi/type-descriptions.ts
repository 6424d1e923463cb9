import type { EventType, ResourceChange } from '../../events/event-types.js'

/** What all events of a type have in common. The first code of a list is its example. */
export interface TypeDescription {
  /** When such an event is written. */
  when: string
  changes: readonly ResourceChange[]
  /** Codes of `oldStatus`, which is absent when the resource was created. */
  oldStatus?: readonly string[]
  newStatus?: readonly string[]
}

const catalogueStatuses = ['ACTIVE', 'INACTIVE', 'DRAFT']
const itemStatuses = ['AVAILABLE', 'UNAVAILABLE', 'DISCONTINUED']

/** Every type of event. */
export const typeDescriptions: Readonly<Record<EventType, TypeDescription>> = {
  'order.created': { when: 'An order was created.', changes: ['created'], newStatus: ['DRAFT'] },
  'order.submitted': {
    when: 'An order was submitted. No `order.status-changed` comes for it.',
    changes: ['changed'],
    oldStatus: ['DRAFT'],
    newStatus: ['SUBMITTED']
  },
  'order.status-changed': {
    when: 'The status of an order changed, other than by its submission.',
    changes: ['changed'],
    oldStatus: ['SUBMITTED', 'ACCEPTED', 'DRAFT'],
    newStatus: ['ACCEPTED', 'REJECTED', 'FULFILLED', 'CANCELLED']
  },
  'order.priority-changed': { when: 'The priority of an order changed.', changes: ['changed'] },
  'order.receiver-changed': {
    when: 'The name, the address, the e-mail address or the phone number of the receiver of a submitted order changed.',
    changes: ['changed']
  },
  'order.note-added': { when: 'An order has a new note.', changes: ['changed'] },
  'order-line.added': {
    when: 'A line was added to a draft.',
    changes: ['created'],
    newStatus: ['UNFULFILLED', 'SUBMITTED']
  },
  'order-line.status-changed': {
    when: 'The status of a line changed.',
    changes: ['changed'],
    oldStatus: ['SUBMITTED', 'UNFULFILLED'],
    newStatus: ['FULFILLED', 'UNFULFILLED', 'SUBMITTED', 'CANCELLED']
  },
  'order-line.removed': { when: 'A line was deleted from a draft.', changes: ['deleted'] },
  'party.changed': { when: 'A party was created or replaced.', changes: ['created', 'changed'] },
  'contract.changed': { when: 'A contract was created or replaced.', changes: ['created', 'changed'] },
  'contract.expiring': {
    when: 'A contract ends within its `reminderDays`. Once for each last day.',
    changes: ['changed']
  },
  'catalogue.changed': {
    when: 'A catalogue was created or replaced.',
    changes: ['created', 'changed'],
    oldStatus: catalogueStatuses,
    newStatus: catalogueStatuses
  },
  'catalogue-item.created': {
    when: 'An item was created.',
    changes: ['created'],
    newStatus: itemStatuses
  },
  'catalogue-item.changed': {
    when: 'An item was replaced.',
    changes: ['changed'],
    oldStatus: itemStatuses,
    newStatus: itemStatuses
  },
  'annotation.changed': {
    when: 'An annotation was created, replaced or deleted.',
    changes: ['created', 'changed', 'deleted']
  },
  'white-list.changed': {
    when: 'A white list entry was created or deleted.',
    changes: ['created', 'deleted']
  }
}
