import { type SQL, sql } from 'drizzle-orm'

/** A list whose entries PostgreSQL writes as JSON. */
export interface PageQuery {
  /** What the rows are called, in every other part: they come from a sub-select of this name. */
  table: string
  /** What is selected besides the JSON. */
  columns: SQL
  json: SQL
  /** Bytes of the JSON at most, by what is known without writing it. */
  size: SQL
  /** Columns of other tables that `columns` or `json` need. */
  also?: SQL
  /** `from` with joins, and the conditions. */
  from: SQL
  where: SQL | undefined
  order: SQL
}

/** The values that the statement of a page always has. */
export interface PageValues {
  /** Rows at most. */
  rows: number
  /** Bytes of the JSON of all rows together at most; the first row comes however large it is. */
  bytes: number
}

/**
 * The statement of a page that ends where its rows would have too many bytes: JSON is written only for rows that fit, by the sum of
 * their sizes in the order of the page. The first row that does not fit comes without JSON, as the sign that there is more.
 */
export function pageStatement({ table, columns, json, size, also, from, where, order }: PageQuery): SQL {
  const name = sql.raw(table)
  const bytes = sql.placeholder('bytes')
  return sql`
    select ${columns}, case when page_bytes <= ${bytes}::bigint then ${json} end
    from (
      select *, sum(row_bytes) over (order by ${order} rows unbounded preceding) as page_bytes
      from (
        select ${name}.*${also ? sql`, ${also}` : sql``}, least(${size}, ${bytes}::bigint) as row_bytes
        ${from} where ${where ?? sql`true`} order by ${order} limit ${sql.placeholder('rows')}
      ) ${name}
    ) ${name}
    where page_bytes - row_bytes <= ${bytes}::bigint
    order by ${order}`
}
