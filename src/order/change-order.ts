import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { deviceWrites } from '../device/store.js'
import type { Call } from '../platform/auth/call.js'
import { type Problem, problem } from '../platform/errors/problem.js'
import type { Ports } from '../ports.js'
import { beginChange, type OrderChange } from './change.js'
import { withDecidedColumns } from './decided-columns.js'
import { eventsOfChange } from './events.js'
import { loadOrderSnapshot, type OrderRef } from './store/load-order.js'
import { save } from './store/save.js'

/** Milliseconds by which the maximum delay grows with each retry. */
const BACKOFF_STEP_MS = 1

/** Maximum delay before a retry, in milliseconds. */
const MAX_BACKOFF_MS = 100

/**
 * Changes an order with optimistic concurrency: loads the order, lets `decide` change it, and
 * writes the result in one statement. Writes nothing if the result equals the stored order. Starts
 * over when the order changed meanwhile or is locked, so that concurrent changes take effect one
 * after the other. No transaction is open while `decide` runs, so it may query the database and
 * call remote parties. `decide` may run more than once.
 * @param missing makes the error to throw when the caller has no such order.
 * @throws Problem of `missing` or `decide`, or when the deadline of the request has passed.
 */
export async function changeOrder(
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
    if (!isChanged(change) || (await saveChange(ports, change))) return
    await pause(Math.random() * Math.min(retries * BACKOFF_STEP_MS, MAX_BACKOFF_MS))
  }
}

export const orderNotFound = () => problem('not-found')

const isChanged = ({ snapshot, order, lines }: OrderChange): boolean =>
  !isDeepStrictEqual(order, snapshot.order) || !isDeepStrictEqual(lines, snapshot.lines)

/**
 * Saves a pending change with the columns and events that follow from it.
 * @returns false when nothing was written, see {@link save}.
 */
export async function saveChange(ports: Ports, change: OrderChange): Promise<boolean> {
  const { call, snapshot, traces, at, until } = change
  const { order, lines } = await withDecidedColumns(ports, snapshot, change, at)
  const before = new Map(snapshot.lines.map((line) => [line.id, line]))
  return save(ports, call, {
    order: {
      ...order,
      revision: snapshot.order.revision + 1,
      traceCount: snapshot.order.traceCount + traces.length,
      changedAt: at
    },
    newLines: lines.filter((line) => !before.has(line.id)),
    changedLines: lines.filter((line) => before.has(line.id) && before.get(line.id) !== line),
    ...deviceWrites(snapshot.lines, lines),
    traces,
    events: eventsOfChange({ call, snapshot, order, lines }),
    until
  })
}
