import { type Placeholder, type SQL, sql } from 'drizzle-orm'

export interface RowsQuery {
  /** The table name that every other part uses. The rows come from a sub-select with this name. */
  table: string
  /** The approximate number of bytes of the JSON of a row, found without reading long values. */
  size?: SQL
  joinedColumns?: SQL
  /** The `from` clause with its joins. Default: the table only. */
  from?: SQL
  where: SQL | undefined
  /** Default: `id`, which is the order of creation. */
  orderBy?: SQL
}

export interface PageLimits {
  rows: number
  /** Maximum bytes of the JSON of all rows. The first row is returned regardless of its size. */
  bytes: number
}

/**
 * The approximate number of bytes of the JSON of a row in addition to its values: names of members,
 * URLs, codings.
 */
export const BYTES_OF_MEMBERS = 1000

/**
 * SQL expression: the approximate number of bytes of a row's JSON, for a table that stores the
 * sizes of its long values.
 */
export const storedBytes = (table: string): SQL => sql.raw(`${table}.json_bytes + ${BYTES_OF_MEMBERS}`)

/**
 * The rows of a page, for the `from` clause of a statement, under the name of their table. A row
 * that begins beyond the byte limit is left out, so its long values are not read. The column
 * `found` counts all rows up to the row limit. `serializedPage` determines the exact end.
 */
export function pageRows(
  query: RowsQuery,
  limits: { [L in keyof PageLimits]: number | Placeholder } = {
    rows: sql.placeholder('rows'),
    bytes: sql.placeholder('bytes')
  }
): SQL {
  const { joinedColumns, where = sql`true` } = query
  const table = sql.raw(query.table)
  const { from = sql`from ${table}`, orderBy = sql`${table}.id`, size = storedBytes(query.table) } = query
  return sql`(
    select * from (
      select *, count(*) over ()::int as found,
        sum(${size}) over (order by ${orderBy} rows between unbounded preceding and 1 preceding) as bytes_before
      from (
        select ${table}.*${joinedColumns ? sql`, ${joinedColumns}` : sql``} ${from}
        where ${where} order by ${orderBy} limit ${limits.rows}
      ) ${table}
    ) ${table}
    where bytes_before is null or bytes_before < ${limits.bytes}::bigint
  ) ${table}`
}
