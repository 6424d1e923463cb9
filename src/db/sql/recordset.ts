import { getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** What statements say of a table, as texts that are made once: to put them together anew takes longer than to run them. */
interface TableText {
  columns: SQL
  values: SQL
  assignments: SQL
  types: SQL
}

const texts = new WeakMap<PgTable, TableText>()

function textOf(table: PgTable): TableText {
  const known = texts.get(table)
  if (known) return known
  const columns = Object.entries(getTableColumns(table)).map(([member, column]) => ({
    name: `"${column.name}"`,
    value: `r."${member}"`,
    type: `"${member}" ${column.getSQLType()}`
  }))
  const [, ...others] = columns
  const made = {
    columns: sql.raw(columns.map(({ name }) => name).join(', ')),
    values: sql.raw(columns.map(({ value }) => value).join(', ')),
    assignments: sql.raw(others.map(({ name, value }) => `${name} = ${value}`).join(', ')),
    types: sql.raw(columns.map(({ type }) => type).join(', '))
  }
  texts.set(table, made)
  return made
}

/**
 * Rows as one parameter: `json_to_recordset(…) as r(<the table's columns, called as the members of its rows>)`. However many they
 * are, the statement around it has the same text, and so one prepared plan.
 * @param rows as JSON: what a row does not have is null, what the table does not have is passed over.
 */
export const recordset = (table: PgTable, rows: string | Placeholder): SQL =>
  rowsOf(table, sql`${rows}::text::json`)

/** The same of a value of type json that the statement has. */
export const rowsOf = (table: PgTable, rows: SQL): SQL =>
  sql`json_to_recordset(${rows}) as r(${textOf(table).types})`

/** A single row of such a value. */
export const rowOf = (table: PgTable, row: SQL): SQL =>
  sql`json_to_record(${row}) as r(${textOf(table).types})`

/** The table's column names, comma-separated. */
export const columnsOf = (table: PgTable): SQL => textOf(table).columns

/** The same columns of the recordset; what all rows have in common may be given once instead of in each. */
export function valuesOf(table: PgTable, common: Readonly<Record<string, unknown>> = {}): SQL {
  if (Object.keys(common).length === 0) return textOf(table).values
  const values = Object.entries(getTableColumns(table)).map(([member, column]) =>
    member in common
      ? sql`${sql.param(common[member], column)}::${sql.raw(column.getSQLType())}`
      : sql.raw(`r."${member}"`)
  )
  return sql.join(values, sql`, `)
}

/** `column = r."member"` for every column of the table but its first, the id: the assignments of an update from a recordset. */
export const assignmentsOf = (table: PgTable): SQL => textOf(table).assignments
