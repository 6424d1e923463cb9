import { and, asc, eq, gt, type SQL } from 'drizzle-orm'
import { type Given, listFilters } from '../../filters/filter.js'
import { byReference } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { queryProblem } from '../../platform/errors/query-problem.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../../platform/rest/pagination.js'
import type { Ports } from '../../ports.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import type { TraceLine } from '../model/trace-line.schemas.js'
import { toTraceLine } from '../serialize.js'
import { findOrderOf } from '../store/find-order.js'
import { orders, type TraceRow, traceLines } from '../store/tables.js'
import { visibleTo } from '../store/visibility.js'
import { orderTexts } from '../texts.js'

export const traceFilters = listFilters(
  byReference('order', orderResource, 'URL of the order. `order` or `orderLine` is required.'),
  byReference('orderLine', orderLineResource, 'URL of the order line.', traceLines.orderLineId)
)
export type TraceFilters = Given<typeof traceFilters>

/**
 * Lists a page of the trace lines of an order or an order line, oldest first.
 * @throws Problem `invalid-query` when the filters name neither an order nor a line.
 */
export async function listTraceLines(
  ports: Ports,
  call: Call,
  filters: TraceFilters,
  request: PageRequest<number>
): Promise<Page<number>> {
  if (filters.order === undefined && filters.orderLine === undefined)
    throw queryProblem('order', orderTexts.orderOrLine, 'required')
  const ids = traceFilters.parse(ports, filters)
  if (!ids) return emptyPage
  const { limit, after } = request
  const order = ids.order ?? (await findOrderOf('line', ports.db, ids.orderLine ?? ''))
  const condition = and(
    eq(traceLines.orderId, order),
    traceFilters.where(ids),
    after === undefined ? undefined : gt(traceLines.seq, after)
  )
  const rows = await selectTraces(ports, call, condition).limit(limit + 1)
  const jsonOf = ({ trace }: FoundTrace) => JSON.stringify(toTraceLine(ports, call, trace))
  const page = await serializedPage(rows, request, ({ trace }) => trace.seq, jsonOf)
  for (const { patient, trace } of page.rows) call.auditContext.addSubject(patient, trace.orderId)
  return page
}

/**
 * Reads a trace line.
 * @throws Problem `not-found` when no order that the caller may see has such a trace line.
 */
export async function viewTraceLine(ports: Ports, call: Call, id: string): Promise<TraceLine> {
  const order = await findOrderOf('trace', ports.db, id)
  const condition = and(eq(traceLines.orderId, order), eq(traceLines.id, id))
  const [found] = await selectTraces(ports, call, condition)
  if (!found) throw problem('not-found')
  call.auditContext.addSubject(found.patient, found.trace.orderId)
  return toTraceLine(ports, call, found.trace)
}

interface FoundTrace {
  trace: TraceRow
  patient: string
}

/** Selects trace lines of orders that the caller may see, oldest first. */
const selectTraces = ({ db }: Pick<Ports, 'db'>, call: Call, condition: SQL | undefined) =>
  db
    .select({ trace: traceLines, patient: orders.patient })
    .from(traceLines)
    .innerJoin(orders, eq(orders.id, traceLines.orderId))
    .where(and(visibleTo(orders, call), condition))
    .orderBy(asc(traceLines.seq))
