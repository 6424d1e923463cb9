import { newId, withTransaction } from '../../db/unit-of-work.js'
import type { Call } from '../../platform/auth/call.js'
import { type Problem, problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { deviceWrites } from '../device/writes.js'
import { latestAgreedTo } from '../model/agreed-time.js'
import { loadOrderSnapshot, type OrderSnapshot, type SnapshotLine } from '../store/load-order.js'
import type { OrderWrite } from '../store/order-write.js'
import { saveOrder, saveOrderIn } from '../store/save-order.js'
import type { OrderRow, TraceRow } from '../store/tables.js'
import type { OrderRef } from '../store/visibility.js'
import { eventsOfChange } from './order-events.js'
import { pauseBeforeRetry } from './pause-before-retry.js'

/**
 * A pending change of an order: its rows as they will be, and the trace lines of the change.
 * Nothing is written until the whole change is decided.
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

/**
 * Changes an order with optimistic concurrency: loads it, lets `decide` change it, and writes the
 * result in one statement. Starts over when the order changed meanwhile or is locked, so that
 * concurrent changes take effect one after the other. No transaction is open while `decide` runs,
 * so it may query the database and call remote parties. It may run more than once.
 * @param missing makes the error to throw when the caller has no such order.
 * @throws Problem of `missing` or `decide`, or when the deadline of the request has passed.
 */
export async function changeOrderWithRetry(
  ports: Ports,
  call: Call,
  ref: OrderRef,
  decide: (change: OrderChange) => Promise<void> | void,
  missing: () => Problem = orderNotFound
): Promise<void> {
  for (let retries = 0; ; retries++) {
    call.deadline.check()
    const snapshot = await loadOrderSnapshot(ports, call, ref)
    if (!snapshot) throw missing()
    call.auditContext.addSubject(snapshot.order.patient, snapshot.order.id)
    const change = beginChange(snapshot, call)
    await decide(change)
    if (!isChanged(change) || (await save(ports, change))) return
    await pauseBeforeRetry(retries)
  }
}

export const orderNotFound = () => problem('not-found')

function beginChange(snapshot: OrderSnapshot, call: Call): OrderChange {
  const at = new Date(Math.max(Date.now(), snapshot.order.changedAt.getTime()))
  const until = new Date(snapshot.readAt.getTime() + call.deadline.remainingMs)
  return { call, at, until, snapshot, order: snapshot.order, lines: snapshot.lines, traces: [] }
}

async function save(ports: Ports, change: OrderChange): Promise<boolean> {
  const { auditContext, deadline, idempotencyKey } = change.call
  auditContext.addSubject(change.order.patient, change.order.id)
  const rows = toWrite(change)
  // An order may end the use of a device of another one.
  for (const { orderId } of rows.changedDevices) auditContext.addSubject(change.order.patient, orderId)
  const write = { ...rows, audit: ports.audit.rowOf(auditContext, null) }
  const isSaved = (saved: boolean) => saved
  const saving = idempotencyKey
    ? saveWithResult(ports, change.call, write)
    : deadline.commit(async (begin) => saveOrder(ports, write, begin), isSaved)
  return auditContext.commitWith(saving, isSaved)
}

/** Saves the change together with the result of its request: the ids of its new lines. */
async function saveWithResult(ports: Ports, call: Call, write: OrderWrite): Promise<boolean> {
  const ids = await withTransaction(
    ports,
    call,
    async ({ tx }) =>
      (await saveOrderIn(ports, tx, write)) ? write.newLines.map(({ id }) => id) : undefined,
    { isWritten: (created) => created !== undefined, isConcurrent: true }
  )
  return ids !== undefined
}

const isChanged = ({ snapshot, order, lines }: OrderChange) =>
  order !== snapshot.order || lines !== snapshot.lines

function toWrite(change: OrderChange) {
  const { snapshot, traces, at, until } = change
  const { order, lines, events } = eventsOfChange(change)
  const before = new Map(snapshot.lines.map((line) => [line.id, line]))
  return {
    node: snapshot.node,
    before: snapshot.order,
    order: {
      ...order,
      revision: snapshot.order.revision + 1,
      traceCount: snapshot.order.traceCount + traces.length,
      agreedUntil: latestAgreedTo(lines, snapshot.order.agreedUntil),
      changedAt: at
    },
    newLines: lines.filter((line) => !before.has(line.id)),
    changedLines: lines.filter((line) => before.has(line.id) && before.get(line.id) !== line),
    ...deviceWrites(snapshot.lines, change.lines),
    traces,
    events,
    until
  }
}

/** Adds a trace line to the change. */
export function addTrace(
  change: OrderChange,
  entry: Pick<TraceRow, 'text' | 'supplementaryText'> &
    Partial<Pick<TraceRow, 'orderLineId' | 'oldStatus' | 'newStatus'>>
): void {
  change.traces.push({
    id: newId(),
    orderId: change.order.id,
    seq: change.snapshot.order.traceCount + change.traces.length + 1,
    timestamp: change.at,
    createdByOrganization: organizationName(change.call, change.snapshot),
    orderLineId: null,
    oldStatus: null,
    newStatus: null,
    ...entry
  })
}

/** Name of the caller's organization: the name of its party in this order, else its URL. */
export function organizationName(
  call: Call,
  {
    buyer,
    seller
  }: Partial<Record<'buyer' | 'seller', Pick<OrderSnapshot['buyer'], 'organization' | 'name'> | undefined>>
): string {
  const sides = call.caller.userType === 'Provider' ? [seller, buyer] : [buyer, seller]
  return (
    sides.find((party) => party && party.organization === call.caller.organization)?.name ??
    call.caller.organization ??
    ''
  )
}

/** The supplementary text of a trace line for a changed value. */
export const oldAndNew = (before: unknown, after: unknown) => `Old value: ${before}. New value: ${after}.`
