import { getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * SQL fragments of a table, cached because building them takes longer than running the statement.
 */
interface TableFragments {
  columns: SQL
  values: SQL
  assignments: SQL
  types: SQL
}

const fragments = new WeakMap<PgTable, TableFragments>()

function fragmentsOf(table: PgTable): TableFragments {
  const cached = fragments.get(table)
  if (cached) return cached
  const columns = Object.entries(getTableColumns(table)).map(([member, column]) => ({
    name: `"${column.name}"`,
    value: `r."${member}"`,
    type: `"${member}" ${column.getSQLType()}`
  }))
  const [, ...withoutId] = columns
  const built = {
    columns: sql.raw(columns.map(({ name }) => name).join(', ')),
    values: sql.raw(columns.map(({ value }) => value).join(', ')),
    assignments: sql.raw(withoutId.map(({ name, value }) => `${name} = ${value}`).join(', ')),
    types: sql.raw(columns.map(({ type }) => type).join(', '))
  }
  fragments.set(table, built)
  return built
}

/**
 * Rows as one parameter: `json_to_recordset(…) as r(…)`, with the table's columns under the names
 * of its row members. The statement text does not depend on the number of rows, so one prepared
 * plan serves all.
 * @param rows a JSON array. A missing member is null; members without a column are ignored.
 */
export const recordset = (table: PgTable, rows: string | Placeholder): SQL =>
  recordsetFrom(table, sql`${rows}::text::json`)

/** As {@link recordset}, from an expression of type json. */
export const recordsetFrom = (table: PgTable, rows: SQL): SQL =>
  sql`json_to_recordset(${rows}) as r(${fragmentsOf(table).types})`

/** One row as `r`, from an expression of type json. */
export const recordFrom = (table: PgTable, row: SQL): SQL =>
  sql`json_to_record(${row}) as r(${fragmentsOf(table).types})`

/** The column names of the table, comma-separated. */
export const columnList = (table: PgTable): SQL => fragmentsOf(table).columns

/**
 * The same columns of the recordset. Members of `common` are parameters instead, the same for all
 * rows.
 */
export function valueList(table: PgTable, common: Readonly<Record<string, unknown>> = {}): SQL {
  if (Object.keys(common).length === 0) return fragmentsOf(table).values
  const values = Object.entries(getTableColumns(table)).map(([member, column]) =>
    member in common
      ? sql`${sql.param(common[member], column)}::${sql.raw(column.getSQLType())}`
      : sql.raw(`r."${member}"`)
  )
  return sql.join(values, sql`, `)
}

/** `column = r."member"` for every column except the first, the id: the `set` list of an update. */
export const assignmentList = (table: PgTable): SQL => fragmentsOf(table).assignments
