import { type SQL, sql } from 'drizzle-orm'

/** A list whose rows PostgreSQL serializes as JSON. */
export interface PageQuery {
  /** The table name that every other part uses. The rows come from a sub-select with this name. */
  table: string
  /** Columns selected before the JSON. Default: `id`. */
  columns?: SQL
  json: SQL
  /** About the bytes of the JSON, found without reading long values. Default: {@link rowBytes}. */
  size?: SQL
  /** Columns of other tables that `columns` or `json` need. */
  joinedColumns?: SQL
  /** The `from` clause with its joins. Default: the table only. */
  from?: SQL
  where: SQL | undefined
  /** Default: `id`, which is the order of creation. */
  orderBy?: SQL
}

/** The values that every page statement needs. */
export interface PageLimits {
  /** Maximum number of rows. */
  rows: number
  /**
   * Maximum bytes of the JSON of all rows together. The first row is returned regardless of its
   * size.
   */
  bytes: number
}

/** About the bytes of the JSON of a row beside its values: names of members, URLs, codings. */
export const BYTES_OF_MEMBERS = 1000

/** SQL expression: about the bytes of the JSON of a row that has no long values. */
export const rowBytes = (table: string): SQL => sql.raw(`pg_column_size(${table}.*) + ${BYTES_OF_MEMBERS}`)

/** As {@link rowBytes}, of a row whose table stores the bytes of its long values. */
export const storedBytes = (table: string): SQL => sql.raw(`${table}.json_bytes + ${BYTES_OF_MEMBERS}`)

/**
 * Builds the statement of a page that ends about where its rows exceed the byte limit. Sizes are
 * added up in page order, and only rows that fit are serialized. The first row that does not fit is
 * returned with null as JSON: it signals that more rows follow. The exact end is that of
 * `rawJsonPage`.
 */
export function pageStatement(query: PageQuery): SQL {
  const { json, joinedColumns, where } = query
  const table = sql.raw(query.table)
  const id = sql`${table}.id`
  const { columns = id, from = sql`from ${table}`, orderBy = id, size = rowBytes(query.table) } = query
  const bytes = sql.placeholder('bytes')
  return sql`
    select ${columns}, case when page_bytes <= ${bytes}::bigint then ${json} end
    from (
      select *, sum(row_bytes) over (order by ${orderBy} rows unbounded preceding) as page_bytes
      from (
        select ${table}.*${joinedColumns ? sql`, ${joinedColumns}` : sql``}, least(${size}, ${bytes}::bigint) as row_bytes
        ${from} where ${where ?? sql`true`} order by ${orderBy} limit ${sql.placeholder('rows')}
      ) ${table}
    ) ${table}
    where page_bytes - row_bytes <= ${bytes}::bigint order by ${orderBy}`
}
