import { and, desc, eq, gte, lt, ne, type SQL, sql } from 'drizzle-orm'
import type { Audit } from '../audit/audit.js'
import { type AuditRow, auditEvents } from '../audit/tables.js'
import { parsePatientFilter } from '../clinical/reference.js'
import { inIds } from '../db/sql/conditions.js'
import { orderKind } from '../order/model/resources.js'
import { orders } from '../order/store/tables.js'
import { buyers, orderVisibleTo, sellers } from '../order/store/visibility.js'
import type { Actor } from '../platform/auth/actor.js'
import { problem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, pageOf } from '../platform/rest/pagination.js'
import { parseFilterUrls } from '../platform/rest/resource-urls.js'
import { endOfRange, startOfRange } from '../platform/rest/time-range.js'
import type { Ports } from '../ports.js'
import type { AuditEvent } from './audit-event.schemas.js'
import {
  columns,
  isSubjectSource,
  joinSubjectSource,
  subjectCount,
  subjectSource
} from './audit-event.subjects.js'
import { auditEventOf } from './fhir-audit-event.js'

export interface AuditFilters {
  patient?: string
  order?: string
  /** First and last day, or first moment and the moment before which. */
  from?: string
  to?: string
}

/** Where a page ends: records are answered newest first. */
export type AuditKey = [recorded: string, id: string]

/**
 * A page of the audit record, newest first: what the caller's own side of its organization did; for an order of a buyer of that
 * organization, what anybody did with it, and of that nothing but this order.
 * @throws Problem `invalid-query`.
 */
export async function listAuditEvents(
  ports: Ports,
  actor: Actor,
  { patient: filter, from, to, ...others }: AuditFilters,
  { limit, bytes, after }: PageRequest<AuditKey>
): Promise<Page<AuditKey>> {
  const { db, audit } = ports
  const patient = filter === undefined ? undefined : parsePatientFilter(filter)
  const ids = parseFilterUrls(ports.references, others, { order: orderKind })
  if (!ids) return emptyPage
  const within = await ordersWithinReach(ports, actor, ids.order ? [ids.order] : [])
  const bought = actor.scope === 'own-buyer' ? within : []
  const heads = await db
    .select({
      id: auditEvents.id,
      recorded: auditEvents.recorded,
      size: subjectCount
    })
    .from(auditEvents)
    .leftJoin(subjectSource, isSubjectSource)
    .where(
      and(
        bought.length > 0 ? undefined : ofOrganization(actor),
        ids.order && within.length === 0 ? sql`not ${isLookedUp(audit)}` : undefined,
        joinSubjectSource(ids.order, patient === undefined ? undefined : audit.patientFormats(patient)),
        from === undefined
          ? undefined
          : gte(auditEvents.recorded, sql`${startOfRange(ports, 'from', from)}::timestamptz`),
        to === undefined
          ? undefined
          : lt(auditEvents.recorded, sql`${endOfRange(ports, 'to', to)}::timestamptz`),
        after &&
          sql`(${auditEvents.recorded}, ${auditEvents.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`
      )
    )
    .orderBy(desc(auditEvents.recorded), desc(auditEvents.id))
    .limit(limit + 1)
  const read = heads.slice(0, Math.min(limit, bearable(heads)))
  const rows = await db
    .select(columns)
    .from(auditEvents)
    .leftJoin(subjectSource, isSubjectSource)
    .where(
      inIds(
        auditEvents.id,
        read.map(({ id }) => id)
      )
    )
    .orderBy(desc(auditEvents.recorded), desc(auditEvents.id))
  const told = bought.length > 0 ? () => bought : await toldOrders(ports, actor, rows)
  const page = pageOf(rows, { limit, bytes }, keyOf, (row) => auditEventOf(ports, row, told(row)))
  const last = read.at(-1)
  return page.next || !last || heads.length === read.length ? page : { ...page, next: keyOf(last) }
}

const keyOf = ({ recorded, id }: { recorded: Date; id: string }): AuditKey => [recorded.toISOString(), id]

/** Patients and orders on a page at most: a record can hold as many as a page of orders does. */
const mostSubjects = 5000

/** How many of the records a page can bear; one at least. */
function bearable(heads: readonly { size: number }[]): number {
  let sum = 0
  const end = heads.findIndex(({ size }) => {
    sum += size
    return sum > mostSubjects
  })
  return end < 0 ? heads.length : Math.max(end, 1)
}

/**
 * An audit event of the caller's own side of its organization; of others, what concerns orders of a buyer of that organization.
 * @throws Problem `not-found` when it is neither.
 */
export async function viewAuditEvent(ports: Ports, actor: Actor, id: string): Promise<AuditEvent> {
  const [row] = await ports.db
    .select({ ...columns, isOwn: sql<boolean>`${ofOrganization(actor)}` })
    .from(auditEvents)
    .leftJoin(subjectSource, isSubjectSource)
    .where(eq(auditEvents.id, id))
  if (row?.isOwn) return auditEventOf(ports, row, (await toldOrders(ports, actor, [row]))(row))
  const orders = row?.orders.filter((order) => order !== null) ?? []
  const bought = actor.scope === 'own-buyer' ? await ordersWithinReach(ports, actor, orders) : []
  if (!row || bought.length === 0) throw problem('not-found', 'There is no such audit event.')
  return auditEventOf(ports, row, bought)
}

/** What the caller's own side of its organization did: who delivers does not see what those do who order, and the reverse. */
const ofOrganization = ({ organization = '', scope }: Actor): SQL | undefined =>
  and(
    eq(auditEvents.organization, organization),
    (scope === 'own-seller' ? eq : ne)(auditEvents.userType, 'Provider')
  )

/** Whether a request named a line, or an entry of a trace, and so not its order. */
const isLookedUp = ({ lookUpOperations }: Audit): SQL =>
  sql`(${auditEvents.operation} = any(${sql.param([...lookUpOperations])}::text[]))`

/**
 * Which orders are told of a record of the caller's own side: of one that named a line only those within reach, since who tried a
 * foreign line in vain must not learn here which order it belongs to.
 */
async function toldOrders(ports: Ports, actor: Actor, rows: readonly AuditRow[]) {
  const isReduced = ({ operation }: AuditRow) => ports.audit.lookUpOperations.has(operation)
  const ids = rows.filter(isReduced).flatMap((row) => row.orders.filter((order) => order !== null))
  const within = await ordersWithinReach(ports, actor, ids)
  return (row: AuditRow) => (isReduced(row) ? within : undefined)
}

/** Those of the orders that the caller may read. */
async function ordersWithinReach({ db }: Ports, actor: Actor, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(buyers, eq(buyers.id, orders.buyerId))
    .innerJoin(sellers, eq(sellers.id, orders.sellerId))
    .where(and(inIds(orders.id, ids), orderVisibleTo(actor)))
  return rows.map(({ id }) => id)
}
