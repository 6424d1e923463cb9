import { and, desc, eq, gte, lte, ne, type SQL, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import type { Audit } from '../audit/audit.js'
import { type AuditRow, auditEvents } from '../audit/tables.js'
import { inIds } from '../db/sql/conditions.js'
import { type Given, listFilters } from '../filters/filter.js'
import { byPatient, byReference, from, to } from '../filters/kinds.js'
import { orderResource } from '../order/model/resources.js'
import { orders } from '../order/store/tables.js'
import { visibleTo } from '../order/store/visibility.js'
import type { Call } from '../platform/auth/call.js'
import { problem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../platform/rest/pagination.js'
import type { Ports } from '../ports.js'
import type { AuditEvent } from './audit-event.schemas.js'
import {
  auditEventColumns,
  namesSubject,
  orderCount,
  subjectCount,
  subjectSourceEvents,
  subjectSourceJoin
} from './audit-event.subjects.js'
import { auditEventOf } from './fhir-audit-event.js'

/** The filters of the list of audit events. */
export const auditFilters = listFilters(
  byPatient('URL of a clinical Patient.'),
  byReference('order', orderResource, 'URL of an order.'),
  from('from', 'First day, yyyy-mm-dd, or a first instant.', auditEvents.recorded),
  to('to', 'Last day, yyyy-mm-dd, or an exclusive end instant.', auditEvents.recorded)
)
export type AuditFilters = Given<typeof auditFilters>

/** Sort key of audit events, newest first. */
export type AuditKey = [recorded: string, id: string]

/**
 * Lists a page of audit events, newest first: the events of the caller's side of its organization.
 * With an order that the caller's organization buys: the events of everybody on this order, reduced
 * to this order.
 * @throws Problem `invalid-query`.
 */
export async function listAuditEvents(
  ports: Ports,
  call: Call,
  filters: AuditFilters,
  { limit, bytes, after }: PageRequest<AuditKey>
): Promise<Page<AuditKey>> {
  const { db, audit } = ports
  const given = auditFilters.parse(ports, filters)
  if (!given) return emptyPage
  const { patient, order } = given
  const readable = await readableOrders(ports, call, order ? [order] : [])
  const bought = call.scope === 'own-buyer' ? readable : []
  const subject = namesSubject(order, patient === undefined ? undefined : audit.patientFormats(patient))
  const candidates = await db
    .select({
      id: auditEvents.id,
      recorded: auditEvents.recorded,
      size: subjectCount
    })
    .from(auditEvents)
    .leftJoin(subjectSourceEvents, subjectSourceJoin)
    .where(
      and(
        bought.length > 0 ? undefined : causedByOwnSide(call, subject !== undefined),
        order && readable.length === 0 ? isNamed(audit, call) : undefined,
        subject,
        auditFilters.where(given),
        after &&
          sql`(${auditEvents.recorded}, ${auditEvents.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`
      )
    )
    .orderBy(desc(auditEvents.recorded), desc(auditEvents.id))
    .limit(limit + 1)
  const read = candidates.slice(0, Math.min(limit, fitToBudget(candidates)))
  const rows = await db
    .select(auditEventColumns)
    .from(auditEvents)
    .leftJoin(subjectSourceEvents, subjectSourceJoin)
    .where(
      and(
        inIds(
          auditEvents.id,
          read.map(({ id }) => id)
        ),
        // Tells PostgreSQL which partitions to look into.
        gte(auditEvents.recorded, read.at(-1)?.recorded ?? new Date()),
        lte(auditEvents.recorded, read[0]?.recorded ?? new Date())
      )
    )
    .orderBy(desc(auditEvents.recorded), desc(auditEvents.id))
  const disclosed = bought.length > 0 ? () => bought : await disclosedOrders(ports, call, rows)
  return serializedPage(
    rows,
    { limit, bytes },
    ({ recorded, id }): AuditKey => [recorded.toISOString(), id],
    (row) => JSON.stringify(auditEventOf(ports, row, disclosed(row))),
    candidates.length > read.length
  )
}

/**
 * Maximum number of patients and orders on a page. One event can name as many as a page of orders.
 */
const MAX_SUBJECTS_PER_PAGE = 5000

/** The number of events, at least one, whose subjects fit on a page. */
function fitToBudget(candidates: readonly { size: number }[]): number {
  let sum = 0
  const end = candidates.findIndex(({ size }) => {
    sum += size
    return sum > MAX_SUBJECTS_PER_PAGE
  })
  return end < 0 ? candidates.length : Math.max(end, 1)
}

/**
 * Reads an audit event of the caller's side of its organization. Of any other event, shows the
 * orders that the caller's organization buys.
 * @throws Problem `not-found` when the caller may see nothing of it.
 */
export async function viewAuditEvent(ports: Ports, call: Call, id: string): Promise<AuditEvent> {
  const [row] = await ports.db
    .select({ ...auditEventColumns, isOwn: sql<boolean>`${causedByOwnSide(call)}` })
    .from(auditEvents)
    .leftJoin(subjectSourceEvents, subjectSourceJoin)
    .where(eq(auditEvents.id, id))
  if (row?.isOwn) return auditEventOf(ports, row, (await disclosedOrders(ports, call, [row]))(row))
  const orders = row?.orders.filter((order) => order !== null) ?? []
  // With an id that no order has: an absent event causes the same statements as one of others.
  const bought = call.scope === 'own-buyer' ? await readableOrders(ports, call, [NIL, ...orders]) : []
  if (!row || bought.length === 0) throw problem('not-found')
  return auditEventOf(ports, row, bought)
}

/**
 * SQL condition: the event was caused by the caller's side of its organization. Sellers do not see
 * buyers' events, and vice versa.
 * @param isFound whether other conditions find the few events to look at. Then the index of the
 * organization is not used: PostgreSQL expects many events of a patient, and would read all those
 * of the organization as well.
 */
const causedByOwnSide = ({ caller: { organization = '' }, scope }: Call, isFound = false): SQL | undefined =>
  and(
    isFound
      ? sql`${auditEvents.organization} || '' = ${organization}`
      : eq(auditEvents.organization, organization),
    (scope === 'own-seller' ? eq : ne)(auditEvents.userType, 'Provider')
  )

/**
 * SQL condition: the request named the order itself, not a line of it. Of several orders a seller
 * may know some only.
 */
const isNamed = ({ lookUpOperations }: Audit, { scope }: Call): SQL | undefined =>
  and(
    sql`${auditEvents.operation} <> all(${sql.param([...lookUpOperations])}::text[])`,
    scope === 'own-seller' ? sql`${orderCount} = 1` : undefined
  )

/**
 * Returns which orders an event of the caller's own side discloses; undefined for all. An event
 * that named a line discloses readable orders only: a caller who tried the id of a foreign line
 * must not learn its order. So does an event of a seller with several orders: another seller may
 * have delivered the device that a line of its order is about.
 */
async function disclosedOrders(ports: Ports, call: Call, rows: readonly AuditRow[]) {
  const isLookUp = ({ operation }: AuditRow) => ports.audit.lookUpOperations.has(operation)
  const hasSeveral = (row: AuditRow) => call.scope === 'own-seller' && new Set(ordersIn(row)).size > 1
  const ids = rows.filter((row) => isLookUp(row) || hasSeveral(row)).flatMap(ordersIn)
  const readable = await readableOrders(ports, call, ids)
  return (row: AuditRow) => (isLookUp(row) ? readable : hasSeveral(row) ? [...readable, null] : undefined)
}

const ordersIn = (row: AuditRow) => row.orders.filter((order) => order !== null)

/** The orders among these that the caller may read. */
async function readableOrders({ db }: Ports, call: Call, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(inIds(orders.id, ids), visibleTo(orders, call)))
  return rows.map(({ id }) => id)
}
