import { type InferInsertModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Transaction } from '../driver/database.js'
import { writtenColumns } from '../written-columns.js'
import { columnList, memberSqlTypes, rowArrays, valueList } from './row-arrays.js'

type Row<T extends PgTable> = InferInsertModel<T>

/**
 * Inserts rows with one statement, and one parameter for each column. A member that all rows lack
 * gets the default of its column. A member that only some rows lack is null in those rows.
 * @param common values or SQL of columns that all rows share and no row contains.
 */
export async function insertAll<T extends PgTable, K extends keyof Row<T> = never>(
  tx: Transaction,
  table: T,
  rows: readonly Omit<Row<T>, K>[],
  common?: { [N in K]: Row<T>[N] | SQL }
): Promise<void> {
  if (rows.length === 0) return
  const given = Object.keys(writtenColumns<PgTable>(table)).filter((member) =>
    rows.some((row) => row[member as keyof typeof row] !== undefined)
  )
  const members = [...given, ...Object.keys(common ?? {})]
  await tx.execute(sql`
    insert into ${table} (${columnList(table, members)}) select ${valueList(table, common, members)}
    from ${rowArrays(memberSqlTypes(table, given), rows)}`)
}
