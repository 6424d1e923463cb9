import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * A row of a table as one JSON value, so that one statement can return rows of several tables.
 * {@link rowFromJson} reads it.
 * @param alias the name of the table in the statement.
 */
export function jsonRowExpression(table: PgTable, alias: string): SQL {
  const members = Object.entries(getTableColumns(table))
  return sql.raw(
    `json_build_object(${members.map(([member, { name }]) => `'${member}', ${alias}."${name}"`).join(', ')})`
  )
}

/**
 * Creates a function that turns the JSON of {@link jsonRowExpression} into a row, with `Date` for
 * timestamps.
 */
export function rowFromJson<T extends PgTable>(
  table: T
): (json: Record<string, unknown>) => InferSelectModel<T> {
  const timestamps = Object.entries(getTableColumns(table))
    .filter(([, { dataType }]) => dataType === 'date')
    .map(([member]) => member)
  return (json) => {
    for (const member of timestamps)
      if (json[member] !== null) json[member] = new Date(json[member] as string)
    return json as InferSelectModel<T>
  }
}
