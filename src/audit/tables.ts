import { isNotNull, type SQL, sql } from 'drizzle-orm'
import { check, customType, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Transaction } from '../db/driver/database.js'
import { columnList, memberSqlTypes, rowArrays, valueList } from '../db/sql/row-arrays.js'
import { instant } from '../db/tables.js'
import type { Interaction } from '../platform/auth/audit-context.js'

/** Bytes as PostgreSQL's hex text, `\x…`. */
const hexBytes = customType<{ data: string }>({ dataType: () => 'bytea' })

/**
 * Audit record, one row per request. A trigger rejects updates and deletes. Partitioned by the
 * month of `recorded` in UTC.
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: uuid('id').notNull(),
    recorded: instant('recorded').notNull(),
    requestId: text('request_id').notNull(),
    /** `operationId` of the route. */
    operation: text('operation').notNull(),
    interaction: text('interaction').$type<Interaction>().notNull(),
    /** Code of the problem in the response; null for a success. */
    problem: text('problem'),
    userType: text('user_type').notNull(),
    userId: text('user_id'),
    organization: text('organization'),
    /** Keyed hashes of patients, 16 bytes each. */
    patients: hexBytes('patients').array().$type<(string | null)[]>().notNull(),
    /** For each patient, at the same index, the order that refers to it, or null. */
    orders: uuid('orders').array().$type<(string | null)[]>().notNull(),
    /**
     * An earlier row with the same patients and orders, which this row then omits. Not a foreign
     * key: it would lock the target on every insert. The insert checks that the target exists, and
     * the triggers prevent its removal.
     */
    sameAs: uuid('same_as')
  },
  (t) => [
    primaryKey({ name: 'audit_events_pk', columns: [t.id, t.recorded] }),
    index('audit_events_organization_idx').on(t.organization, t.recorded, t.id),
    index('audit_events_patients_idx').using('gin', t.patients),
    index('audit_events_orders_idx').using('gin', t.orders),
    index('audit_events_same_as_idx').on(t.sameAs).where(isNotNull(t.sameAs)),
    check('audit_events_paired', sql`cardinality(${t.patients}) = cardinality(${t.orders})`),
    check('audit_events_named_once', sql`${t.sameAs} is null or cardinality(${t.orders}) = 0`)
  ]
)
export type AuditRow = typeof auditEvents.$inferSelect

export async function insertAuditRows(tx: Transaction, rows: readonly AuditRow[]): Promise<void> {
  await tx.execute(insertAuditRowsFrom(rowArrays(memberSqlTypes(auditEvents), rows)))
}

/**
 * An insert of audit rows, also as part of a statement. `source` provides the rows as `r`, `known`
 * members that the statement itself finds.
 */
export const insertAuditRowsFrom = (source: SQL, known?: Readonly<Record<string, SQL>>): SQL =>
  sql`insert into ${auditEvents} (${columnList(auditEvents)}) select ${valueList(auditEvents, known)} from ${source}`
