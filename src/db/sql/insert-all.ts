import { type InferInsertModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Transaction } from '../driver/database.js'
import { columnList, memberTypes, rowArrays, valueList } from './row-arrays.js'

type Row<T extends PgTable> = InferInsertModel<T>

/**
 * Inserts rows with one statement, and one parameter for each column.
 * @param common values, or SQL, that all rows share and none of them holds.
 */
export async function insertAll<T extends PgTable, K extends keyof Row<T> = never>(
  tx: Transaction,
  table: T,
  rows: readonly Omit<Row<T>, K>[],
  common?: { [N in K]: Row<T>[N] | SQL }
): Promise<void> {
  if (rows.length > 0) await tx.execute(insertRows(table, rows, common))
}

/** The statement of {@link insertAll}, for any number of rows. */
export const insertRows = <T extends PgTable>(
  table: T,
  rows: readonly object[],
  common?: Readonly<Record<string, unknown>>
): SQL =>
  sql`insert into ${table} (${columnList(table)}) select ${valueList(table, common)} from ${rowArrays(memberTypes(table), rows)}`
