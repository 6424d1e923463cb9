import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * A row of a table as one JSON value, so that rows of several tables come with one statement; what {@link rowFromJson} reads.
 * @param alias what the table is called in the statement
 */
export function jsonRow(table: PgTable, alias: string): SQL {
  const members = Object.entries(getTableColumns(table))
  return sql.raw(
    `json_build_object(${members.map(([member, { name }]) => `'${member}', ${alias}."${name}"`).join(', ')})`
  )
}

/** Makes rows out of their JSON values, moments among them. */
export function rowFromJson<T extends PgTable>(
  table: T
): (json: Record<string, unknown>) => InferSelectModel<T> {
  const moments = Object.entries(getTableColumns(table))
    .filter(([, { dataType }]) => dataType === 'date')
    .map(([member]) => member)
  return (json) => {
    for (const member of moments) if (json[member] !== null) json[member] = new Date(json[member] as string)
    return json as InferSelectModel<T>
  }
}
