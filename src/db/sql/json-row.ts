import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** A row as JSON: the values of its columns. Their names would take longer to read than they do. */
export type ColumnValues = readonly unknown[]

/**
 * A row of a table as one JSON value, so that one statement can return rows of several tables.
 * {@link rowFromJson} reads it.
 * @param alias the name of the table in the statement.
 */
export function jsonRowExpression(table: PgTable, alias: string): SQL {
  const columns = Object.values(getTableColumns(table))
  return sql.raw(`json_build_array(${columns.map(({ name }) => `${alias}."${name}"`).join(', ')})`)
}

/**
 * Creates a function that turns the JSON of {@link jsonRowExpression} into a row, with `Date` for
 * timestamps.
 */
export function rowFromJson<T extends PgTable>(table: T): (json: ColumnValues) => InferSelectModel<T> {
  const members = Object.entries(getTableColumns(table)).map(([member, { dataType }], at) => ({
    member,
    at,
    isTime: dataType === 'date'
  }))
  return (json) => {
    const row: Record<string, unknown> = {}
    for (const { member, at, isTime } of members) {
      const value = json[at]
      row[member] = isTime && value !== null ? new Date(value as string) : value
    }
    return row as InferSelectModel<T>
  }
}
