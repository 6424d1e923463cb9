import { type InferInsertModel, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Transaction } from '../driver/database.js'
import { columnsOf, recordset, valuesOf } from './recordset.js'

type Row<T extends PgTable> = InferInsertModel<T>

/**
 * Inserts any number of rows with one statement; they are one parameter.
 * @param common what all of them have in common, and none of them holds.
 */
export async function insertAll<T extends PgTable, K extends keyof Row<T> = never>(
  tx: Transaction,
  table: T,
  rows: readonly Omit<Row<T>, K>[],
  common?: Pick<Row<T>, K>
): Promise<void> {
  if (rows.length === 0) return
  const from = recordset(table, JSON.stringify(rows))
  await tx.execute(
    sql`insert into ${table} (${columnsOf(table)}) select ${valuesOf(table, common)} from ${from}`
  )
}
