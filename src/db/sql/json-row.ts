import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Queryable } from '../driver/database.js'
import { type WrittenRow, writtenColumns } from '../written-columns.js'

/*
 * Rows as JSON arrays: one statement can return rows of several tables, and the driver takes twice
 * as long for single columns. Times are milliseconds, which Node reads ten times as fast as texts.
 */

type Columns = Readonly<Record<string, PgColumn>>
type RowOf<C extends Columns> = {
  [M in keyof C]: C[M]['_']['data'] | (C[M]['_']['notNull'] extends true ? never : null)
}

/** A row as JSON: the values of its columns. */
export type ColumnValues = readonly unknown[]

const isTime = ({ dataType }: PgColumn) => dataType === 'date'

/**
 * SQL expression: columns of a row as one JSON value, which {@link rowReader} reads.
 * @param alias the name of the table in the statement.
 */
export function jsonColumns(columns: Columns, alias?: string): SQL {
  const values = Object.values(columns).map((column) => {
    const value = `${alias ?? getTableName(column.table)}."${column.name}"`
    return isTime(column) ? `date_part('epoch', ${value}) * 1000` : value
  })
  return sql.raw(`json_build_array(${values.join(', ')})`)
}

/** Creates a function that turns the JSON of {@link jsonColumns} into a row. */
export function rowReader<C extends Columns>(columns: C): (json: ColumnValues) => RowOf<C> {
  const members = Object.entries(columns).map(([member, column]) => ({ member, isTime: isTime(column) }))
  return (json) => {
    const row: Record<string, unknown> = {}
    let at = 0
    for (const { member, isTime } of members) {
      const value = json[at++]
      row[member] = isTime && value !== null ? new Date(Math.round(value as number)) : value
    }
    return row as RowOf<C>
  }
}

/** SQL expression: a time as text, in UTC, as `Date.toISOString` writes it. */
export const isoTime = (time: SQL): SQL =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** As {@link jsonColumns}, the columns that the program writes. */
export const jsonRowExpression = (table: PgTable, alias: string): SQL =>
  jsonColumns(writtenColumns<PgTable>(table) as Columns, alias)

/** Creates a function that turns the JSON of {@link jsonRowExpression} into a row. */
export const rowFromJson = <T extends PgTable>(table: T): ((json: ColumnValues) => WrittenRow<T>) =>
  rowReader(writtenColumns<PgTable>(table) as Columns) as (json: ColumnValues) => WrittenRow<T>

/**
 * Creates a function that runs a statement written by hand and returns its rows.
 * @param columns the columns that a statement selects by its parameter `list`. It may select others
 *   as members of `M`.
 */
export function rowSelection<C extends Columns, M extends object = object>(columns: C) {
  const list = sql`${jsonColumns(columns)} as "row"`
  const read = rowReader(columns)
  return async (db: Queryable, statementOf: (list: SQL) => SQL): Promise<(RowOf<C> & M)[]> => {
    const found = await db.execute<{ row: ColumnValues }>(statementOf(list))
    return found.map(({ row, ...more }) => Object.assign(read(row), more as unknown as M))
  }
}
