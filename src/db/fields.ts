import { getTableColumns, getTableName, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * The columns of a table under the names of its members, for a statement that is written out. The text is made once: Drizzle's
 * builder would make it anew for each request.
 * @param leftOut members that are not read; moments among them, which would come as texts.
 */
export function fieldsOf<T extends PgTable>(
  table: T,
  leftOut: readonly (keyof InferSelectModel<T> & string)[]
): SQL {
  const shown = Object.entries(getTableColumns(table)).filter(
    ([member]) => !(leftOut as readonly string[]).includes(member)
  )
  return sql.raw(
    shown.map(([member, { name }]) => `"${getTableName(table)}"."${name}" as "${member}"`).join(', ')
  )
}
