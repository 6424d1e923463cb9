import { and, asc, eq, sql } from 'drizzle-orm'
import type { Actor } from '../platform/actor.js'
import { type Page, type PageRequest, pageOf } from '../platform/paging.js'
import { problem } from '../platform/problem.js'
import { filterIds } from '../platform/reference.js'
import type { Ports } from '../ports.js'
import { orderForms } from './forms.js'
import { orderKind, orderLineKind } from './kinds.js'
import { buyers, orderWithinReach, sellers } from './order.reach.js'
import { orders, traceLines } from './tables.js'
import type { TraceLine } from './trace.schemas.js'

export interface TraceFilters {
  order?: string
  orderLine?: string
}

/** Where a page of trace lines ends: they are answered by timestamp, then by order of writing. */
export type TraceKey = [timestamp: string, seq: number]

/**
 * A page of the trace lines of an order or an order line, oldest first.
 * @throws Problem `invalid-query` when neither is named.
 */
export async function listTraceLines(
  ports: Ports,
  actor: Actor,
  filters: TraceFilters,
  { limit, after }: PageRequest<TraceKey>
): Promise<Page<TraceLine, TraceKey>> {
  const { order, orderLine } = filters
  if (order === undefined && orderLine === undefined)
    throw problem('invalid-query', 'Query parameter order, or orderLine, is required.')
  const ids = filterIds(ports.references, filters, { order: orderKind, orderLine: orderLineKind })
  if (!ids) return { entries: [], next: undefined }
  const rows = await tracesOfOrders(ports)
    .where(
      and(
        orderWithinReach(actor),
        ids.order ? eq(traceLines.orderId, ids.order) : undefined,
        ids.orderLine ? eq(traceLines.orderLineId, ids.orderLine) : undefined,
        after
          ? sql`(${traceLines.timestamp}, ${traceLines.seq}) > (${after[0]}::timestamptz, ${after[1]}::int)`
          : undefined
      )
    )
    .orderBy(asc(traceLines.timestamp), asc(traceLines.seq))
    .limit(limit + 1)
  const { entries, next } = pageOf(
    rows,
    limit,
    ({ trace }): TraceKey => [trace.timestamp.toISOString(), trace.seq]
  )
  for (const { patient, trace } of entries) actor.trail.touch(patient, trace.orderId)
  return { entries: entries.map(({ trace }) => orderForms(ports).trace.of(trace)), next }
}

/** @throws Problem `not-found` when the caller has no order with such a trace line. */
export async function viewTraceLine(ports: Ports, actor: Actor, id: string): Promise<TraceLine> {
  const [row] = await tracesOfOrders(ports).where(and(orderWithinReach(actor), eq(traceLines.id, id)))
  if (!row) throw problem('not-found', 'There is no such trace line.')
  actor.trail.touch(row.patient, row.trace.orderId)
  return orderForms(ports).trace.of(row.trace)
}

function tracesOfOrders({ db }: Ports) {
  return db
    .select({ trace: traceLines, patient: orders.patient })
    .from(traceLines)
    .innerJoin(orders, eq(orders.id, traceLines.orderId))
    .innerJoin(buyers, eq(buyers.id, orders.buyerId))
    .innerJoin(sellers, eq(sellers.id, orders.sellerId))
}
