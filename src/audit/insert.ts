import { type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../db/driver/database.js'
import { columnList, memberTypes, rowArrays, valueList } from '../db/sql/row-arrays.js'
import { type AuditRow, auditEvents } from './tables.js'

/** Inserts audit rows within a transaction. */
export async function insertAuditRows(tx: Transaction, rows: readonly AuditRow[]): Promise<void> {
  await tx.execute(insertAuditRowsFrom(rowArrays(memberTypes(auditEvents), rows)))
}

/**
 * An insert of audit rows, also as part of a statement. `source` provides the rows as `r`, `known`
 * members that the statement itself finds.
 */
export const insertAuditRowsFrom = (source: SQL, known?: Readonly<Record<string, SQL>>): SQL =>
  sql`insert into ${auditEvents} (${columnList(auditEvents)}) select ${valueList(auditEvents, known)} from ${source}`
