import { type SQL, sql } from 'drizzle-orm'
import { bySide, type Side, sideOf } from '../../agreement/side.js'
import type { Audit } from '../../audit/audit.js'
import { storedPatient } from '../../audit/stored-patient.js'
import { type AuditRow, auditEvents, insertAuditRowsFrom } from '../../audit/tables.js'
import { createBatcher } from '../../db/batch/batcher.js'
import { type ColumnValues, jsonRowExpression, rowFromJson } from '../../db/sql/json-row.js'
import { memberSqlTypes, rowParameters } from '../../db/sql/row-arrays.js'
import { statement } from '../../db/sql/statement.js'
import { devices } from '../../device/tables.js'
import type { Call } from '../../platform/auth/call.js'
import { isUnavailable } from '../../platform/errors/pg-errors.js'
import { Problem } from '../../platform/errors/problem.js'
import type { Ports } from '../../ports.js'
import { type OrderRow, orderLines, orders, type ShownLine, type TraceRow, traceLines } from './tables.js'
import { visibleOrderQuery, visibleToSide } from './visibility.js'

/** An order with its lines, their devices and its trace. */
interface OrderDetails {
  order: OrderRow
  lines: ShownLine[]
  traces: TraceRow[]
}

interface DetailsJson {
  order: ColumnValues
  lines: {
    row: ColumnValues
    device: ColumnValues | null
    related: ColumnValues | null
    isShown: boolean
  }[]
  traces: ColumnValues[]
}

/**
 * SQL expression: an order with its lines, their devices and its trace as one JSON value, because a
 * join would repeat the order for each line. PostgreSQL reads the rows by their keys.
 */
const detailsJson = (side: Side, organization: SQL) => sql`json_build_object(
  'order', ${jsonRowExpression(orders, 'orders')},
  'lines', (
    select coalesce(json_agg(json_build_object(
      'row', ${jsonRowExpression(orderLines, 'l')},
      'device', case when d.line_id is not null then ${jsonRowExpression(devices, 'd')} end,
      'related', case when related.line_id is not null then ${jsonRowExpression(devices, 'related')} end,
      'isShown', related.${sql.raw(`${side}_organization`)} = ${organization}
    ) order by l.id), '[]')
    from order_lines l
    left join devices d on d.line_id = l.id and l.status = 'FULFILLED'
    left join devices related on related.line_id = l.related_to
    where l.order_id = orders.id and l.deleted_at is null),
  'traces', (
    select coalesce(json_agg(${jsonRowExpression(traceLines, 't')} order by t.seq), '[]')
    from trace_lines t where t.order_id = orders.id))`

/** The orders that delivered the devices which the lines of an order are about. */
const relatedOrders = sql`array(
  select distinct related.order_id from order_lines l join devices related on related.line_id = l.related_to
  where l.order_id = orders.id and l.deleted_at is null)`

/** A reader of an order, with the audit record of the read. */
interface Reader {
  row: AuditRow & { orderId: string; seenBy: string }
  patientValues: Audit['storedPatientValues']
}

const readerTypes = { ...memberSqlTypes(auditEvents), orderId: 'uuid', seenBy: 'text' } as const
const { from, fill } = rowParameters<keyof typeof readerTypes>('reader', readerTypes, {
  isLengthHidden: true
})

const MAX_BATCH_SIZE = 16

/** The next batch starts after this many milliseconds even while a batch is in flight. */
const MAX_WAIT_MS = 20

/**
 * Reads details for several callers and writes their audit records in one statement with one
 * commit. With 8 connections this serves 1.5 times as many details a second as separate reads and
 * records (docs/decisions/speed.md).
 */
function recordedDetails(side: Side) {
  const run = statement<object, [reader: Buffer, json: Buffer]>(
    sql`
    with r as materialized (select * from ${from}),
    found as materialized (
      select r.id as reader, orders.patient, ${relatedOrders} as related,
        ${detailsJson(side, sql`r."seenBy"`)} as json
      from r join orders on orders.id = r."orderId"
      where ${visibleToSide(orders, side, sql`r."seenBy"`)}),
    recorded as (${insertAuditRowsFrom(sql`r join found on found.reader = r.id`, {
      patients: sql`array_fill(${storedPatient(sql`found.patient`)}, array[1 + cardinality(found.related)])`,
      orders: sql`r."orderId" || found.related`
    })})
    select reader, json from found`,
    { isRaw: true }
  )
  return createBatcher<Reader, Buffer | undefined>({
    name: 'order-details',
    async execute(db, readers) {
      // All entries of a database have the same value.
      const values = { ...readers[0]?.patientValues }
      const rows = readers.map(({ row }) => row)
      fill(values, rows)
      const found = new Map((await run(db, values)).map(([reader, json]) => [String(reader), json]))
      return rows.map(({ id }) => found.get(id))
    },
    maxBatchWeight: MAX_BATCH_SIZE,
    maxWaitMs: MAX_WAIT_MS,
    inHalves: true
  })
}

const recorded = bySide(recordedDetails)
const plainDetails = visibleOrderQuery<[json: Buffer]>(detailsJson)

/**
 * Loads the details of an order that the caller may see.
 * @param isComplete whether the details are the whole response. If so, the statement also writes
 * the audit record of the caller.
 */
export async function loadOrderDetails(
  ports: Ports,
  call: Call,
  id: string,
  isComplete: boolean
): Promise<OrderDetails | undefined> {
  const json = isComplete ? await readRecorded(ports, call, id) : await readPlain(ports, call, id)
  return json && detailsOf(JSON.parse(json.toString()))
}

async function readPlain({ db }: Ports, call: Call, id: string): Promise<Buffer | undefined> {
  const [json] = (await plainDetails(db, call, id)) ?? []
  return json
}

function readRecorded(ports: Ports, call: Call, id: string): Promise<Buffer | undefined> {
  const { auditContext, caller } = call
  const { audit, db } = ports
  const row = { ...audit.rowOf(auditContext, null), orderId: id, seenBy: caller.organization ?? '' }
  const reading = recorded[sideOf(call)](db, { row, patientValues: audit.storedPatientValues })
  return auditContext
    .commitWith(reading, (json) => json !== undefined)
    .catch((cause) => {
      // The batcher throws a Problem if it is full.
      if (isUnavailable(cause) || cause instanceof Problem) throw cause
      // A failed audit record has its own response, so it must not fail the read.
      return readPlain(ports, call, id)
    })
}

const [orderFromJson, lineFromJson] = [rowFromJson(orders), rowFromJson(orderLines)]
const [deviceFromJson, traceFromJson] = [rowFromJson(devices), rowFromJson(traceLines)]

const detailsOf = ({ order, lines, traces }: DetailsJson): OrderDetails => ({
  order: orderFromJson(order),
  lines: lines.map(({ row, device, related, isShown }) =>
    Object.assign(lineFromJson(row), {
      device: device && deviceFromJson(device),
      relatedDevice: related && Object.assign(deviceFromJson(related), { isShown })
    })
  ),
  traces: traces.map(traceFromJson)
})
