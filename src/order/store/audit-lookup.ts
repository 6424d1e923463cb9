import { sql } from 'drizzle-orm'
import type { Database } from '../../db/driver/database.js'
import { statement } from '../../db/sql/statement.js'
import type { AuditSubject } from '../../platform/auth/audit-context.js'
import { orderSubjects } from '../../platform/auth/audit-rule.js'
import { findOrderId, type OrderRef } from './visibility.js'

const existing = statement<{ id: string }, { id: string }>(
  sql`select id from orders where id = ${sql.placeholder('id')}`
)

/**
 * Finds an order for the audit record of a request that the caller had no access to, so that the
 * order's buyer learns of the request. The caller must not learn the order, so the caller's view of
 * the record omits it.
 */
export async function lookUpOrderForAudit(db: Database, ref: OrderRef): Promise<AuditSubject[]> {
  const [order] = await existing(db, { id: await findOrderId(db, ref) })
  return orderSubjects(order?.id)
}
