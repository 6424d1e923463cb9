import { isDeepStrictEqual } from 'node:util'
import { numberNames } from '../device/device.fields.js'
import type { EventType } from '../ledger/event-types.js'
import { type EventInput, newEvent } from '../ledger/insert.js'
import type { EventRow } from '../ledger/tables.js'
import type { OrderChange } from './change.js'
import { changedTimeMembers } from './model/agreed-time.js'
import { changedReceiverMembers, changedWishMembers } from './model/order.fields.js'
import type { SnapshotLine } from './store/load-order.js'
import type { OrderRow } from './store/tables.js'

/** An event of an order or a line, without the members that all events of a change share. */
type ChangeEvent = Pick<EventInput, 'type' | 'change' | 'oldStatus' | 'newStatus'>

/**
 * Derives the events of a change from the changed rows, so that no status changes without an event.
 * The `sequence` begins with 1 for each subject: the save adds the number of earlier events. The
 * event of a submission comes first, because the seller sees this event and all later ones.
 */
export function eventsOfChange({
  call,
  snapshot,
  order,
  lines
}: Pick<OrderChange, 'call' | 'snapshot' | 'order' | 'lines'>): EventRow[] {
  const isOfDraft = order.submittedAt === null
  // Not the time of the change, because another clock may have set it later than the existing
  // partitions.
  const at = new Date()
  const rowsOf = (subjectId: string, events: readonly ChangeEvent[]) =>
    events.map((event, index) =>
      newEvent(call, at, { ...event, subjectId, sequence: index + 1, ownerId: order.id, isOfDraft })
    )
  const before = new Map(snapshot.lines.map((line) => [line.id, line]))
  return [
    ...rowsOf(order.id, orderEvents(snapshot.order, order)),
    ...lines.flatMap((line) => rowsOf(line.id, lineEvents(before.get(line.id), line)))
  ]
}

function orderEvents(before: OrderRow, after: OrderRow): ChangeEvent[] {
  if (before.revision === 0) return [{ type: 'order.created', change: 'created', newStatus: after.status }]
  if (after.deletedAt !== null) return [{ type: 'order.removed', change: 'deleted' }]
  const isOfDraft = before.status === 'DRAFT'
  const isNew = (note: object) => !before.notes.some((each) => isDeepStrictEqual(each, note))
  return [
    ...statusEvents(after.status === 'SUBMITTED' ? 'order.submitted' : 'order.status-changed', before, after),
    ...changeEvents({
      'order.priority-changed': after.priority !== before.priority,
      'order.receiver-changed': !isOfDraft && changedReceiverMembers(before, after).length > 0,
      'order.awaiting-changed': after.awaiting !== before.awaiting,
      'order.wish-changed': !isOfDraft && changedWishMembers(before, after).length > 0,
      'order.note-added': after.notes !== before.notes && after.notes.some(isNew)
    })
  ]
}

function lineEvents(before: SnapshotLine | undefined, after: SnapshotLine): ChangeEvent[] {
  if (!before) return [{ type: 'order-line.added', change: 'created', newStatus: after.status }]
  if (after.deletedAt !== null) return [{ type: 'order-line.removed', change: 'deleted' }]
  return [
    ...statusEvents('order-line.status-changed', before, after),
    ...changeEvents({
      'order-line.agreed-changed': changedTimeMembers(before, after).length > 0,
      'order-line.device-changed': isDeviceChanged(before, after) || isEndTakenBack(before, after)
    })
  ]
}

const statusEvents = (
  type: EventType,
  { status: oldStatus }: { status: string },
  { status: newStatus }: { status: string }
): ChangeEvent[] => (newStatus === oldStatus ? [] : [{ type, change: 'changed', oldStatus, newStatus }])

/** The events whose changes occurred, in this order. */
const changeEvents = (occurred: Partial<Record<EventType, boolean>>): ChangeEvent[] =>
  (Object.keys(occurred) as EventType[])
    .filter((type) => occurred[type])
    .map((type) => ({ type, change: 'changed' }))

/** Whether a device changed. A newly delivered device counts as changed if it has numbers. */
const isDeviceChanged = ({ device: before }: SnapshotLine, { device: after }: SnapshotLine): boolean =>
  after !== before &&
  after !== null &&
  (before !== null || after.until !== null || numberNames.some((name) => after[name] !== null))

/** Whether a line took back the end that it made of the device that it is about. */
const isEndTakenBack = (
  { id, relatedDevice: before }: SnapshotLine,
  { relatedDevice: after }: SnapshotLine
): boolean => before?.endedBy === id && after?.endedBy !== id
