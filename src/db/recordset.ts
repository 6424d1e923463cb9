import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

type Row<T extends PgTable> = Partial<InferSelectModel<T>>

/**
 * Rows as one parameter: `json_to_recordset(…) as r(<the table's columns>)`. However many they are, the statement around
 * it has the same text, and so one prepared plan.
 */
export function recordset<T extends PgTable>(table: T, rows: readonly Row<T>[]): SQL {
  const columns = Object.entries(getTableColumns(table))
  const records = rows.map((row) =>
    Object.fromEntries(
      columns.map(([member, column]) => [column.name, (row as Record<string, unknown>)[member] ?? null])
    )
  )
  const types = columns.map(
    ([, column]) => sql`${sql.identifier(column.name)} ${sql.raw(column.getSQLType())}`
  )
  return sql`json_to_recordset(${JSON.stringify(records)}::text::json) as r(${sql.join(types, sql`, `)})`
}

/** The table's column names, comma-separated. */
export const columnsOf = (table: PgTable): SQL => sql.join(names(table), sql`, `)

/** The same columns of the recordset. */
export const valuesOf = (table: PgTable): SQL =>
  sql.join(
    names(table).map((name) => sql`r.${name}`),
    sql`, `
  )

/** `column = r.column` for every column of the table but its first, the id: the assignments of an update from a recordset. */
export function assignmentsOf(table: PgTable): SQL {
  const assignments = names(table).map((name) => sql`${name} = r.${name}`)
  return sql.join(assignments.slice(1), sql`, `)
}

const names = (table: PgTable) =>
  Object.values(getTableColumns(table)).map((column) => sql.identifier(column.name))
