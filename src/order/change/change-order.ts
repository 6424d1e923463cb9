import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import { type Problem, problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { loadOrder } from '../store/load-order.js'
import {
  type LineRow,
  type OrderRow,
  type OrderSnapshot,
  saveOrder,
  type TraceRow
} from '../store/save-order.js'
import type { OrderRef } from '../store/visibility.js'

/**
 * An order while it is being changed: its rows as they will be, and the trace of how they came to be so. Steps change it;
 * nothing is written before all of them have been made.
 */
export interface OrderChange {
  readonly actor: Actor
  /** One time for everything in the change; never before the order's last change, so that the trace stays in order. */
  readonly at: Date
  /** When the caller's time is over, by the clock of the database. */
  readonly until: Date
  readonly snapshot: OrderSnapshot
  order: OrderRow
  lines: LineRow[]
  traces: TraceRow[]
}

/** Milliseconds at most until a change is decided anew. */
const longestPause = 100

/**
 * Changes an order: loads it, lets the steps decide, and writes what they decided in one statement. When somebody else
 * changed the order meanwhile, or holds it, it begins again, so of two changes at once both take effect, one after the other. The
 * steps may ask the database and remote parties: no transaction is open.
 * @param missing what to throw when the caller has no such order.
 */
export async function changeOrder(
  ports: Ports,
  actor: Actor,
  which: OrderRef,
  steps: (change: OrderChange) => Promise<void> | void,
  missing: () => Problem = orderNotFound
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    actor.deadline.check()
    const snapshot = await loadOrder(ports, actor, which)
    if (!snapshot) throw missing()
    actor.auditContext.addSubject(snapshot.order.patient, snapshot.order.id)
    const change = beginChange(snapshot, actor)
    await steps(change)
    if (!isChanged(change) || (await save(ports, change))) return
    await pause(Math.random() * Math.min(attempt, longestPause))
  }
}

export const orderNotFound = () => problem('not-found', 'There is no such order.')

function beginChange(snapshot: OrderSnapshot, actor: Actor): OrderChange {
  const at = new Date(Math.max(Date.now(), snapshot.order.changedAt.getTime()))
  const until = new Date(snapshot.readAt.getTime() + actor.deadline.remainingMs)
  return { actor, at, until, snapshot, order: snapshot.order, lines: snapshot.lines, traces: [] }
}

async function save(ports: Ports, change: OrderChange): Promise<boolean> {
  const { auditContext, deadline } = change.actor
  auditContext.addSubject(change.order.patient, change.order.id)
  const isSaved = (saved: boolean) => saved
  const write = deadline.commit(
    async (begin) =>
      saveOrder(ports, { ...writeOf(change), audit: ports.audit.rowOf(auditContext, null) }, begin),
    isSaved
  )
  return auditContext.commitWith(write, isSaved)
}

const isChanged = ({ snapshot, order, lines }: OrderChange) =>
  order !== snapshot.order || lines !== snapshot.lines

function writeOf({ snapshot, order, lines, traces, at, until }: OrderChange) {
  const before = new Map(snapshot.lines.map((line) => [line.id, line]))
  const { id, revision: basis } = snapshot.order
  return {
    id,
    basis,
    order: {
      ...order,
      revision: basis + 1,
      traceCount: snapshot.order.traceCount + traces.length,
      changedAt: at
    },
    newLines: lines.filter((line) => !before.has(line.id)),
    changedLines: lines.filter((line) => before.has(line.id) && before.get(line.id) !== line),
    traces,
    until
  }
}

/** Adds an entry to the trace of the change. */
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
    createdByOrganization: organizationName(change.actor, change.snapshot),
    orderLineId: null,
    oldStatus: null,
    newStatus: null,
    ...entry
  })
}

/** What the caller's organization is called: the name of the party it is in this order, else its URL. */
export function organizationName(
  actor: Actor,
  { buyer, seller }: Pick<OrderSnapshot, 'buyer' | 'seller'>
): string {
  const sides = actor.userType === 'Provider' ? [seller, buyer] : [buyer, seller]
  return sides.find((party) => party.organization === actor.organization)?.name ?? actor.organization ?? ''
}

/** How a trace line names an old and a new value. */
export const oldAndNew = (before: unknown, after: unknown) => `Old value: ${before}. New value: ${after}.`
