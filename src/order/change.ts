import { newId } from '../db/unit-of-work.js'
import type { Call } from '../platform/auth/call.js'
import { traceTexts } from './model/trace-texts.js'
import type { OrderSnapshot, SnapshotLine } from './store/load-order.js'
import type { OrderRow, TraceRow } from './store/tables.js'

/**
 * A pending change of an order: its future rows, and the trace lines of the change. Nothing is
 * written until the whole change is decided.
 */
export interface OrderChange {
  readonly call: Call
  /**
   * Time of the whole change, never before the previous change, so that the trace stays in order.
   */
  readonly at: Date
  /** Deadline of the request, by the clock of the database. */
  readonly until: Date
  readonly snapshot: OrderSnapshot
  order: OrderRow
  lines: SnapshotLine[]
  traces: TraceRow[]
}

export function beginChange(snapshot: OrderSnapshot, call: Call): OrderChange {
  const at = new Date(Math.max(Date.now(), snapshot.order.changedAt.getTime()))
  const until = new Date(snapshot.readAt.getTime() + call.deadline.remainingMs)
  return { call, at, until, snapshot, order: snapshot.order, lines: snapshot.lines, traces: [] }
}

export function addTrace(
  change: OrderChange,
  entry: Pick<TraceRow, 'code' | 'supplementaryText'> &
    Partial<Pick<TraceRow, 'orderLineId' | 'oldStatus' | 'newStatus'>>
): void {
  change.traces.push({
    id: newId(),
    orderId: change.order.id,
    seq: change.snapshot.order.traceCount + change.traces.length + 1,
    timestamp: change.at,
    createdByOrganization: organizationName(change.call, change.snapshot),
    text: traceTexts[entry.code],
    orderLineId: null,
    oldStatus: null,
    newStatus: null,
    ...entry
  })
}

export function setLine(change: OrderChange, id: string, columns: Partial<SnapshotLine>): void {
  change.lines = change.lines.map((each) => (each.id === id ? { ...each, ...columns } : each))
}

/** Changes the side whose answer the order awaits, with a trace line. */
export function setAwaiting(change: OrderChange, awaiting: OrderRow['awaiting']): void {
  const { awaiting: before } = change.order
  if (awaiting === before) return
  change.order = { ...change.order, awaiting }
  addTrace(change, {
    code: awaiting === null ? 'order-awaits-no-answer' : 'order-awaits-answer',
    supplementaryText: changedValueText(before, awaiting)
  })
}

type PartyName = Pick<OrderSnapshot['buyer'], 'organization' | 'name'>

/** Name of the caller's organization: the name of its party in this order, otherwise its URL. */
export function organizationName(
  { caller }: Call,
  { buyer, seller }: { buyer?: PartyName | undefined; seller?: PartyName | undefined }
): string {
  const sides = caller.userType === 'Provider' ? [seller, buyer] : [buyer, seller]
  const own = sides.find((party) => party?.organization === caller.organization)
  return own?.name ?? caller.organization ?? ''
}

/** The supplementary text of a trace line for a changed value. */
export const changedValueText = (before: unknown, after: unknown) =>
  `Old value: ${before}. New value: ${after}.`

/** The supplementary text of a trace line for members whose values may be about a person. */
export const changedNamesText = (names: readonly string[]) => `Changed: ${names.join(', ')}.`
