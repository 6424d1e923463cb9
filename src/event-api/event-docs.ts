import type { EventType, ResourceChange } from '../ledger/event-types.js'
import {
  initialLineStatuses,
  lineTransitions,
  type OrderStatus,
  orderTransitions,
  type Transitions
} from '../order/model/states.js'
import type { LocalValueSet } from '../terminology/local-value-sets.js'

/** The codes of a member of an event: a list of codes, or a value set. */
export interface EventCodes {
  codes: readonly string[] | LocalValueSet
  /** The code in the example of the event. */
  example: string
  /** Why the member may be absent. */
  absent?: string
}

export interface EventDoc {
  when: string
  /** The changes that the type reports, beginning with the change in the example. */
  changes: readonly [ResourceChange, ...ResourceChange[]]
  oldStatus?: EventCodes
  newStatus?: EventCodes
  attention?: EventCodes
  /** Whether the event names a related line. */
  hasRelatedTo?: true
}

/**
 * The statuses before and after the transitions to certain statuses, with one transition as the
 * example.
 */
function statusesOf<S extends string>(
  transitions: Transitions<S>,
  [oldExample, newExample]: [S, S],
  isCovered: (to: string) => boolean = () => true
) {
  const covered = Object.entries<object>(transitions).flatMap(([from, targets]) =>
    Object.keys(targets)
      .filter(isCovered)
      .map((to) => ({ from, to }))
  )
  return {
    oldStatus: { codes: [...new Set(covered.map(({ from }) => from))], example: oldExample },
    newStatus: { codes: [...new Set(covered.map(({ to }) => to))], example: newExample }
  }
}

const isSubmission = (to: string) => to === ('SUBMITTED' satisfies OrderStatus)

const itemStatus: EventCodes = { codes: 'catalogue-item-status', example: 'AVAILABLE' }
const catalogueStatus: EventCodes = { codes: 'catalogue-status', example: 'ACTIVE' }

/** The documentation of a type. By default a type reports only changes. */
export const eventDocOf = (type: EventType): EventDoc => ({ changes: ['changed'], ...docs[type] })

/** By default a type reports changes only. */
const docs: Readonly<Record<EventType, Omit<EventDoc, 'changes'> & Partial<EventDoc>>> = {
  'order.created': {
    when: 'An order was created.',
    changes: ['created'],
    newStatus: { codes: ['DRAFT'], example: 'DRAFT' }
  },
  'order.submitted': {
    when: 'An order was submitted. A submission has no `order.status-changed`.',
    ...statusesOf(orderTransitions, ['DRAFT', 'SUBMITTED'], isSubmission)
  },
  'order.status-changed': {
    when: 'The status of an order changed, other than by its submission.',
    ...statusesOf(orderTransitions, ['SUBMITTED', 'ACCEPTED'], (to) => !isSubmission(to))
  },
  'order.priority-changed': { when: 'The priority of an order changed.' },
  'order.receiver-changed': {
    when: 'The name, the address, the e-mail address or the phone number of the receiver of a submitted order changed, or the patient’s name; or an operator replaced the reference to the patient of an open order.'
  },
  'order.wish-changed': {
    when: 'The days on which the buyer of a submitted order wishes the delivery changed.'
  },
  'order.note-added': { when: 'An order has a new note.' },
  'order.awaiting-changed': {
    when: 'An order awaits an answer of the other side, or no longer does.'
  },
  'order.overdue': {
    when: 'A submitted order has waited too long for an answer, or a delivery is late. Reported once for each order, cause and due time.',
    attention: { codes: ['UNANSWERED', 'LATE'], example: 'LATE' }
  },
  'order.removed': {
    when: 'A draft was deleted. Its earlier events are no longer visible.',
    changes: ['deleted']
  },
  'order-line.added': {
    when: 'A line was added to a draft.',
    changes: ['created'],
    newStatus: { codes: initialLineStatuses, example: 'UNFULFILLED' }
  },
  'order-line.status-changed': {
    when: 'The status of a line changed.',
    ...statusesOf(lineTransitions, ['SUBMITTED', 'FULFILLED']),
    hasRelatedTo: true
  },
  'order-line.agreed-changed': {
    when: 'The time that the provider has agreed with the receiver of a line changed.'
  },
  'order-line.device-changed': {
    when: 'The numbers of the device that a line delivered changed, its use ended or was resumed by hand, or the line took back that it ended the use of another device.'
  },
  'order-line.removed': { when: 'A line was deleted from a draft.', changes: ['deleted'] },
  'order-line.delivery-due': {
    when: 'The agreed time of a delivery begins within the `reminderDays` of the contract. Reported once for each line and day.'
  },
  'party.changed': { when: 'A party was created or replaced.', changes: ['changed', 'created'] },
  'contract.changed': { when: 'A contract was created or replaced.', changes: ['changed', 'created'] },
  'contract.expiring': {
    when: 'A contract ends within its `expiryReminderDays` or, without these, its `reminderDays`. Reported once for each last day.'
  },
  'catalogue.changed': {
    when: 'A catalogue was created or replaced.',
    changes: ['changed', 'created'],
    oldStatus: { ...catalogueStatus, absent: 'Absent if the resource was created.' },
    newStatus: catalogueStatus
  },
  'catalogue-item.created': { when: 'An item was created.', changes: ['created'], newStatus: itemStatus },
  'catalogue-item.changed': {
    when: 'An item was replaced.',
    oldStatus: itemStatus,
    newStatus: itemStatus
  },
  'annotation.changed': {
    when: 'An annotation was created, replaced or deleted.',
    changes: ['changed', 'created', 'deleted']
  },
  'white-list.changed': {
    when: 'A white list entry was created or deleted.',
    changes: ['created', 'deleted']
  }
}
