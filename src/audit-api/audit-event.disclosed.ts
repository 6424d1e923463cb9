import { and } from 'drizzle-orm'
import type { AuditRow } from '../audit/tables.js'
import { inIds } from '../db/sql/conditions.js'
import { orders } from '../order/store/tables.js'
import { visibleTo } from '../order/store/visibility.js'
import type { Call } from '../platform/auth/call.js'
import type { Ports } from '../ports.js'

/**
 * Returns which orders an event of the caller's own side discloses; undefined for all. An event
 * that named a line discloses readable orders only: a caller who tried the id of a foreign line
 * must not learn its order. So does an event of a seller with several orders: another seller may
 * have delivered the device that a line of its order is about.
 */
export async function disclosedOrders(ports: Ports, call: Call, rows: readonly AuditRow[]) {
  const isLookUp = ({ operation }: AuditRow) => ports.audit.lookUpOperations.has(operation)
  const hasSeveral = (row: AuditRow) => call.scope === 'own-seller' && new Set(ordersIn(row)).size > 1
  const ids = rows.filter((row) => isLookUp(row) || hasSeveral(row)).flatMap(ordersIn)
  const readable = await readableOrders(ports, call, ids)
  return (row: AuditRow) => (isLookUp(row) ? readable : hasSeveral(row) ? [...readable, null] : undefined)
}

const ordersIn = (row: AuditRow) => row.orders.filter((order) => order !== null)

/** The orders among these that the caller may read. */
export async function readableOrders({ db }: Ports, call: Call, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(inIds(orders.id, ids), visibleTo(orders, call)))
  return rows.map(({ id }) => id)
}
