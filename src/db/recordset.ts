import { getTableColumns, type InferSelectModel, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

type Row<T extends PgTable> = Partial<InferSelectModel<T>>

/** What statements say of a table, as texts that are made once: to put them together anew takes longer than to run them. */
interface TableText {
  /** Members of a row, and the columns that they stand in. */
  columns: readonly (readonly [member: string, name: string])[]
  names: SQL
  values: SQL
  assignments: SQL
  types: SQL
}

const texts = new WeakMap<PgTable, TableText>()

function textOf(table: PgTable): TableText {
  const known = texts.get(table)
  if (known) return known
  const columns = Object.entries(getTableColumns(table))
  const joined = (text: (name: string, type: string) => string, from = 0) =>
    sql.raw(
      columns
        .slice(from)
        .map(([, column]) => text(`"${column.name}"`, column.getSQLType()))
        .join(', ')
    )
  const made = {
    columns: columns.map(([member, { name }]) => [member, name] as const),
    names: joined((name) => name),
    values: joined((name) => `r.${name}`),
    assignments: joined((name) => `${name} = r.${name}`, 1),
    types: joined((name, type) => `${name} ${type}`)
  }
  texts.set(table, made)
  return made
}

/**
 * Rows as one parameter: `json_to_recordset(…) as r(<the table's columns>)`. However many they are, the statement around
 * it has the same text, and so one prepared plan.
 */
export const recordset = <T extends PgTable>(table: T, rows: readonly Row<T>[]): SQL =>
  recordsetOf(table, recordsOf(table, rows))

/** The same of a parameter that holds what {@link recordsOf} makes, or that takes its place. */
export const recordsetOf = (table: PgTable, records: string | Placeholder): SQL =>
  sql`json_to_recordset(${records}::text::json) as r(${textOf(table).types})`

/** Rows as the parameter of a recordset. */
export function recordsOf<T extends PgTable>(table: T, rows: readonly Row<T>[]): string {
  const { columns } = textOf(table)
  const records = rows.map((row) => {
    const record: Record<string, unknown> = {}
    for (const [member, name] of columns) record[name] = (row as Record<string, unknown>)[member] ?? null
    return record
  })
  return JSON.stringify(records)
}

/** The table's column names, comma-separated. */
export const columnsOf = (table: PgTable): SQL => textOf(table).names

/** The same columns of the recordset. */
export const valuesOf = (table: PgTable): SQL => textOf(table).values

/** `column = r.column` for every column of the table but its first, the id: the assignments of an update from a recordset. */
export const assignmentsOf = (table: PgTable): SQL => textOf(table).assignments
