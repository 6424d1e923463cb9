import { type SQL, sql } from 'drizzle-orm'

/** A list whose rows PostgreSQL serializes as JSON. */
export interface PageQuery {
  /** The table name that every other part uses. The rows come from a sub-select with this name. */
  table: string
  /** Columns selected before the JSON. Default: `id`. */
  columns?: SQL
  json: SQL
  /** Upper bound of the JSON's size in bytes, computed without serializing the row. */
  size: SQL
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

/**
 * Builds the statement of a page that ends before its rows exceed the byte limit. Sizes are added
 * up in page order, and only rows that fit are serialized. The first row that does not fit is
 * returned with null as JSON: it signals that more rows follow.
 */
export function pageStatement(query: PageQuery): SQL {
  const { json, size, joinedColumns, where } = query
  const table = sql.raw(query.table)
  const id = sql`${table}.id`
  const { columns = id, from = sql`from ${table}`, orderBy = id } = query
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
    where page_bytes - row_bytes <= ${bytes}::bigint
    order by ${orderBy}`
}
