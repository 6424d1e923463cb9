import { isDeepStrictEqual } from 'node:util'
import { type EventInput, newEvent } from '../../ledger/insert.js'
import type { EventRow } from '../../ledger/tables.js'
import type { Call } from '../../platform/auth/call.js'
import { numberNames } from '../device/device.schemas.js'
import { changedTimeMembers } from '../model/agreed-time.js'
import { changedReceiverMembers, changedWishMembers } from '../model/order.fields.js'
import type { SnapshotLine } from '../store/load-order.js'
import type { LineRow, OrderRow } from '../store/tables.js'

/** An order with its lines before and after a change. */
interface ChangedOrder {
  call: Pick<Call, 'traceparent'>
  snapshot: { order: OrderRow; lines: readonly SnapshotLine[] }
  order: OrderRow
  lines: readonly SnapshotLine[]
}

/** Rows that count their events, and the events. */
interface CountedEvents {
  order: OrderRow
  lines: SnapshotLine[]
  events: EventRow[]
}

/** An event of an order or a line, without what all of them share. */
type ChangeEvent = Pick<EventInput, 'type' | 'change' | 'oldStatus' | 'newStatus'>

/**
 * Derives the events of a change from what it changed, so that no status changes without one, and
 * numbers them. That of a submission comes first: the seller sees it and all that follow.
 */
export function eventsOfChange({ call, snapshot, order, lines }: ChangedOrder): CountedEvents {
  const isOfDraft = order.submittedAt === null
  // Not the time of the change, which another clock may have set ahead of the partitions.
  const at = new Date()
  const rowOf = (subjectId: string, sequence: number, event: ChangeEvent) =>
    newEvent(call, at, { ...event, subjectId, sequence, ownerId: order.id, isOfDraft })
  const ofOrder = orderEvents(snapshot.order, order)
  const events = ofOrder.map((event, index) => rowOf(order.id, snapshot.order.eventCount + index + 1, event))
  const before = new Map(snapshot.lines.map((line) => [line.id, line]))
  const counted = lines.map((line) => {
    const ofLine = lineEvents(before.get(line.id), line)
    if (ofLine.length === 0) return line
    events.push(...ofLine.map((event, index) => rowOf(line.id, line.eventCount + index + 1, event)))
    return { ...line, eventCount: line.eventCount + ofLine.length }
  })
  return {
    order: { ...order, eventCount: snapshot.order.eventCount + ofOrder.length },
    lines: counted,
    events
  }
}

/** The events of an order that is inserted with its lines. Each row must count one event. */
export const eventsOfNewOrder = (
  call: Pick<Call, 'traceparent'>,
  at: Date,
  orderId: string,
  lines: readonly Pick<LineRow, 'id' | 'status'>[]
): EventRow[] => [
  newEvent(call, at, {
    type: 'order.created',
    change: 'created',
    newStatus: 'DRAFT',
    isOfDraft: true,
    subjectId: orderId,
    sequence: 1
  }),
  ...lines.map(({ id, status }) =>
    newEvent(call, at, {
      type: 'order-line.added',
      change: 'created',
      newStatus: status,
      isOfDraft: true,
      subjectId: id,
      ownerId: orderId,
      sequence: 1
    })
  )
]

function orderEvents(before: OrderRow, after: OrderRow): ChangeEvent[] {
  const events: ChangeEvent[] = []
  const { status: oldStatus } = before
  const { status: newStatus } = after
  if (newStatus !== oldStatus) {
    const type = newStatus === 'SUBMITTED' ? 'order.submitted' : 'order.status-changed'
    events.push({ type, change: 'changed', oldStatus, newStatus })
  }
  if (after.priority !== before.priority) events.push({ type: 'order.priority-changed', change: 'changed' })
  if (oldStatus !== 'DRAFT' && changedReceiverMembers(before, after).length > 0)
    events.push({ type: 'order.receiver-changed', change: 'changed' })
  if (after.awaiting !== before.awaiting) events.push({ type: 'order.awaiting-changed', change: 'changed' })
  if (oldStatus !== 'DRAFT' && changedWishMembers(before, after).length > 0)
    events.push({ type: 'order.wish-changed', change: 'changed' })
  const isNew = (note: object) => !before.notes.some((each) => isDeepStrictEqual(each, note))
  if (after.notes !== before.notes && after.notes.some(isNew))
    events.push({ type: 'order.note-added', change: 'changed' })
  return events
}

function lineEvents(before: SnapshotLine | undefined, after: SnapshotLine): ChangeEvent[] {
  if (!before) return [{ type: 'order-line.added', change: 'created', newStatus: after.status }]
  if (after.deletedAt !== null) return [{ type: 'order-line.removed', change: 'deleted' }]
  const events: ChangeEvent[] = []
  const { status: oldStatus } = before
  const { status: newStatus } = after
  if (newStatus !== oldStatus)
    events.push({ type: 'order-line.status-changed', change: 'changed', oldStatus, newStatus })
  if (changedTimeMembers(before, after).length > 0)
    events.push({ type: 'order-line.agreed-changed', change: 'changed' })
  if (isDeviceChanged(before, after)) events.push({ type: 'order-line.device-changed', change: 'changed' })
  return events
}

/** Whether a device changed. One that a line delivers changes if its numbers come with it. */
const isDeviceChanged = ({ device: before }: SnapshotLine, { device: after }: SnapshotLine): boolean =>
  after !== before &&
  after !== null &&
  (before !== null || after.until !== null || numberNames.some((name) => after[name] !== null))
