import { type InferInsertModel, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Transaction } from './connection.js'
import { columnsOf, recordset, valuesOf } from './recordset.js'

/** Inserts any number of rows with one statement of one parameter. */
export async function insertAll<T extends PgTable>(
  tx: Transaction,
  table: T,
  rows: readonly InferInsertModel<T>[]
): Promise<void> {
  if (rows.length === 0) return
  const from = recordset(table, JSON.stringify(rows))
  await tx.execute(sql`insert into ${table} (${columnsOf(table)}) select ${valuesOf(table)} from ${from}`)
}
