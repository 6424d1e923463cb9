import { getTableColumns, type InferSelectModel, is, SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

/**
 * SQL fragments of a table, cached because building them takes longer than running the statement.
 */
interface TableFragments {
  columns: SQL
  values: SQL
  types: SQL
}

const fragments = new WeakMap<PgTable, TableFragments>()

function fragmentsOf(table: PgTable): TableFragments {
  const cached = fragments.get(table)
  if (cached) return cached
  const columns = Object.entries(getTableColumns(table)).map(([member, column]) => ({
    name: `"${column.name}"`,
    value: rowValue(member, column),
    type: `"${member}" ${column.getSQLType()}`
  }))
  const built = {
    columns: sql.raw(columns.map(({ name }) => name).join(', ')),
    values: sql.raw(columns.map(({ value }) => value).join(', ')),
    types: sql.raw(columns.map(({ type }) => type).join(', '))
  }
  fragments.set(table, built)
  return built
}

/**
 * Rows as one parameter: `json_to_recordset(…) as r(…)`, with the table's columns under the names
 * of its row members.
 * @param rows a JSON array. A missing member is null; members without a column are ignored.
 */
export const recordset = (table: PgTable, rows: string): SQL =>
  sql`json_to_recordset(${rows}::text::json) as r(${fragmentsOf(table).types})`

/** The column names of the table, comma-separated. */
export const columnList = (table: PgTable): SQL => fragmentsOf(table).columns

/**
 * The same columns of the rows `r`. Members of `common` are parameters or SQL instead, the same for
 * all rows.
 */
export function valueList(table: PgTable, common: Readonly<Record<string, unknown>> = {}): SQL {
  if (Object.keys(common).length === 0) return fragmentsOf(table).values
  const values = Object.entries(getTableColumns(table)).map(([member, column]) =>
    member in common
      ? sql`${parameterOf(common[member], column)}::${sql.raw(column.getSQLType())}`
      : sql.raw(rowValue(member, column))
  )
  return sql.join(values, sql`, `)
}

const parameterOf = (value: unknown, column: PgColumn) => (is(value, SQL) ? value : sql.param(value, column))

/**
 * `column = r."member"` for these members, by default all but the first, the id: the `set` list of
 * an update.
 */
export function assignmentList<T extends PgTable>(
  table: T,
  members: readonly (keyof InferSelectModel<T> & string)[] = Object.keys(getTableColumns(table)).slice(
    1
  ) as never
): SQL {
  const columns = getTableColumns(table)
  const assignments = members.map((member) => {
    const column = columns[member] as PgColumn
    return `"${column.name}" = ${rowValue(member, column)}`
  })
  return sql.raw(assignments.join(', '))
}

/** A member of the rows `r`. A column that is an array may come as text. */
function rowValue(member: string, column: PgColumn): string {
  const type = column.getSQLType()
  return type.endsWith('[]') ? `r."${member}"::${type}` : `r."${member}"`
}
