import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { type AuditRow, auditEvents } from '../audit/tables.js'
import { inIds } from '../db/sql/conditions.js'
import type { Given } from '../filters/filter.js'
import { orders } from '../order/store/tables.js'
import { visibleTo } from '../order/store/visibility.js'
import type { Call } from '../platform/auth/call.js'
import { problem } from '../platform/errors/problem.js'
import { emptyPage, type Page, type PageRequest, serializedPage } from '../platform/rest/pagination.js'
import type { Ports } from '../ports.js'
import {
  type AuditCandidate,
  type AuditKey,
  auditFilters,
  causedByOwnSide,
  findCandidates
} from './audit-event.candidates.js'
import type { AuditEvent } from './audit-event.schemas.js'
import { auditEventColumns, subjectSourceEvents, subjectSourceJoin } from './audit-event.subjects.js'
import { auditEventOf } from './fhir-audit-event.js'

export type AuditFilters = Given<typeof auditFilters>

/**
 * Lists a page of audit events, newest first: the events of the caller's side of its organization.
 * With an order that the caller's organization buys: the events of all callers on this order,
 * reduced to this order.
 * @throws Problem `invalid-query`.
 */
export async function listAuditEvents(
  ports: Ports,
  call: Call,
  filters: AuditFilters,
  page: PageRequest<AuditKey>
): Promise<Page<AuditKey>> {
  const given = auditFilters.parse(ports, filters)
  if (!given) return emptyPage
  const readable = await readableOrders(ports, call, given.order ? [given.order] : [])
  const bought = call.scope === 'own-buyer' ? readable : []
  const [isReadable, isBought] = [readable.length > 0, bought.length > 0]
  const { candidates, hasMore } = await findCandidates(ports, call, given, { isReadable, isBought }, page)
  const rows = await loadRows(ports, candidates)
  const disclosed = isBought ? () => bought : await disclosedOrders(ports, call, rows)
  return serializedPage(
    rows,
    page,
    ({ recorded, id }): AuditKey => [recorded.toISOString(), id],
    (row) => JSON.stringify(auditEventOf(ports, row, disclosed(row))),
    hasMore
  )
}

/** Loads audit events with their subjects, newest first. */
const loadRows = ({ db }: Ports, candidates: readonly AuditCandidate[]): Promise<AuditRow[]> =>
  db
    .select(auditEventColumns)
    .from(auditEvents)
    .leftJoin(subjectSourceEvents, subjectSourceJoin)
    .where(
      and(
        inIds(
          auditEvents.id,
          candidates.map(({ id }) => id)
        ),
        // Limits the scan of PostgreSQL to these partitions.
        gte(auditEvents.recorded, candidates.at(-1)?.recorded ?? new Date()),
        lte(auditEvents.recorded, candidates[0]?.recorded ?? new Date())
      )
    )
    .orderBy(desc(auditEvents.recorded), desc(auditEvents.id))

/**
 * Reads an audit event of the caller's side of its organization. For any other event, shows the
 * orders that the caller's organization buys.
 * @throws Problem `not-found` when the caller may see no part of the event.
 */
export async function viewAuditEvent(ports: Ports, call: Call, id: string): Promise<AuditEvent> {
  const [row] = await ports.db
    .select({ ...auditEventColumns, isOwn: sql<boolean>`${causedByOwnSide(call)}` })
    .from(auditEvents)
    .leftJoin(subjectSourceEvents, subjectSourceJoin)
    .where(eq(auditEvents.id, id))
  if (row?.isOwn) return auditEventOf(ports, row, (await disclosedOrders(ports, call, [row]))(row))
  const named = row ? ordersIn(row) : []
  // Uses an id that no order has, so that an absent event and an event of another organization
  // cause the same statements.
  const bought = call.scope === 'own-buyer' ? await readableOrders(ports, call, [NIL, ...named]) : []
  if (!row || bought.length === 0) throw problem('not-found')
  return auditEventOf(ports, row, bought)
}

/**
 * Returns the orders that an event of the caller's side discloses; undefined for all orders. An
 * event that named a line discloses readable orders only, because a caller must not find the order
 * of a line of another organization by its id. The same applies to an event of a seller with
 * several orders, because another seller may have delivered the related device.
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
