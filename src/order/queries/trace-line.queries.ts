import { and, eq, gt, sql } from 'drizzle-orm'
import { jsonText } from '../../db/json/serializer.js'
import { dynamicQuery } from '../../db/sql/dynamic-query.js'
import { type PageLimits, pageStatement } from '../../db/sql/page.js'
import { type Given, listFilters, type Params } from '../../filters/filter.js'
import { byReference } from '../../filters/kinds.js'
import type { Call } from '../../platform/auth/call.js'
import { problem } from '../../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, rawJsonPage } from '../../platform/rest/pagination.js'
import { memoizePerApp } from '../../platform/util/memoize-per-app.js'
import type { Ports } from '../../ports.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import type { TraceLine } from '../model/trace-line.schemas.js'
import { orderSerializers } from '../store/serializers.js'
import { orders, traceLines } from '../store/tables.js'
import {
  buyerParties,
  findOrderId,
  fromOrdersSeenBy,
  orderOfLine,
  orderOfTrace,
  orderVisibleTo,
  type Side,
  sellerParties,
  sideOf,
  visibleToSide
} from '../store/visibility.js'

/** The filters of the list of trace lines. */
export const traceFilters = listFilters(
  byReference('order', orderResource, 'URL of the order. This or orderLine is required.'),
  byReference('orderLine', orderLineResource, 'URL of the order line.', traceLines.orderLineId)
)
export type TraceFilters = Given<typeof traceFilters>

/** The parameters of the statement; `after` is a position in the trace. */
type TraceListParams = Pick<Params<typeof traceFilters>, 'orderLine'> & { after: number | undefined }

type ListedTrace = [order: Buffer, patient: Buffer, seq: Buffer, json: Buffer | null]

const pages = memoizePerApp((ports: Ports) => {
  const { trace } = orderSerializers(ports)
  const ofSide = (side: Side) =>
    dynamicQuery<TraceListParams, PageLimits & { order: string; organization: string }, ListedTrace>(
      (active) =>
        pageStatement({
          table: 'trace_lines',
          columns: sql`trace_lines.order_id, trace_lines.patient, trace_lines.seq`,
          json: jsonText(trace, 'trace_lines'),
          joinedColumns: sql`orders.patient`,
          from: sql`${fromOrdersSeenBy(side)} join trace_lines on trace_lines.order_id = orders.id`,
          where: and(
            visibleToSide(side, sql.placeholder('organization')),
            eq(orders.id, sql.placeholder('order')),
            eq(traceLines.orderId, sql.placeholder('order')),
            traceFilters.where(active),
            active.after && gt(traceLines.seq, active.after)
          ),
          orderBy: sql`trace_lines.seq`
        })
    )
  return { buyer: ofSide('buyer'), seller: ofSide('seller') }
})

/**
 * Lists a page of the trace lines of an order or an order line, oldest first.
 * @throws Problem `invalid-query` when the filters name neither.
 */
export async function listTraceLines(
  ports: Ports,
  call: Call,
  filters: TraceFilters,
  request: PageRequest<number>
): Promise<Page<number>> {
  if (filters.order === undefined && filters.orderLine === undefined)
    throw problem('invalid-query', {
      en: 'Query parameter order or orderLine is required.',
      da: 'Parameteren order eller orderLine skal sendes.'
    })
  const ids = traceFilters.parse(ports, filters)
  if (!ids) return emptyPage
  const { limit, bytes, after } = request
  const order = ids.order ?? (await findOrderId(ports.db, orderOfLine(ids.orderLine ?? '')))
  if (order === undefined) return emptyPage
  const params: TraceListParams = { orderLine: ids.orderLine, after }
  const rows = await pages(ports)[sideOf(call)](ports.db, params, {
    order,
    organization: call.caller.organization ?? '',
    rows: limit + 1,
    bytes
  })
  const page = rawJsonPage(rows, request, ([, , seq]) => Number(seq))
  for (const [order, patient] of page.rows) call.auditContext.addSubject(String(patient), String(order))
  return page
}

/**
 * Reads a trace line.
 * @throws Problem `not-found` when no order that the caller may see has such a trace line.
 */
export async function viewTraceLine(ports: Ports, call: Call, id: string): Promise<TraceLine> {
  const order = await findOrderId(ports.db, orderOfTrace(id))
  const [row] = order === undefined ? [] : await selectTraceLine(ports, call, order, id)
  if (!row) throw problem('not-found')
  call.auditContext.addSubject(row.patient, row.trace.orderId)
  return orderSerializers(ports).trace.toJson(row.trace)
}

const selectTraceLine = ({ db }: Ports, call: Call, order: string, id: string) =>
  db
    .select({ trace: traceLines, patient: orders.patient })
    .from(traceLines)
    .innerJoin(orders, eq(orders.id, traceLines.orderId))
    .innerJoin(buyerParties, eq(buyerParties.id, orders.buyerId))
    .innerJoin(sellerParties, eq(sellerParties.id, orders.sellerId))
    .where(
      and(orderVisibleTo(call), eq(orders.id, order), eq(traceLines.orderId, order), eq(traceLines.id, id))
    )
