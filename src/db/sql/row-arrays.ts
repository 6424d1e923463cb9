import { is, SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import { type WrittenRow, writtenColumns } from '../written-columns.js'

export type MemberTypes<M extends string> = Readonly<Record<M, string>>

type Member<T extends PgTable> = keyof WrittenRow<T> & string

/**
 * The SQL types of members of a table's rows, by default all. Arrays are passed as text, because
 * PostgreSQL's nested arrays cannot differ in length.
 */
export function memberSqlTypes<T extends PgTable>(
  table: T,
  members?: readonly string[]
): MemberTypes<Member<T>> {
  const types = columnsOf(table, members).map(([member, column]) => [
    member,
    isArray(column) ? 'text' : column.getSQLType()
  ])
  return Object.fromEntries(types)
}

const isArray = (column: PgColumn) => column.getSQLType().endsWith('[]')

/** Rows as parameters, an array for each member: `unnest(…) as r("member", …)`. */
export const rowArrays = (types: MemberTypes<string>, rows: readonly object[]): SQL =>
  rowsFrom(types, (member) => arrayOf(rows, member, types[member]))

/**
 * Declares rows as parameters of a prepared statement, whose text does not depend on their number.
 * @param name begins the names of the placeholders.
 * @param options.isLengthHidden hides the number of rows, for which PostgreSQL would otherwise make
 * a plan at each call.
 */
export function rowParameters<M extends string>(
  name: string,
  types: MemberTypes<M>,
  { isLengthHidden = false } = {}
) {
  const keyOf = (member: string) => `${name}.${member}`
  const members = Object.entries<string>(types).map(([member, type]) => ({
    member,
    key: keyOf(member),
    type
  }))
  return {
    /** The rows as `r("member", …)`, with placeholders. */
    from: rowsFrom(types, (member, type) => {
      const array = sql.placeholder(keyOf(member))
      return isLengthHidden ? sql`(select ${array}::${sql.raw(type)}[])` : array
    }),
    fill(values: Record<string, unknown>, rows: readonly { [K in M]: unknown }[]) {
      for (const { member, key, type } of members) values[key] = arrayOf(rows, member, type)
    }
  }
}

function rowsFrom(types: MemberTypes<string>, parameterOf: (member: string, type: string) => unknown): SQL {
  const values = Object.entries(types).map(
    ([member, type]) => sql`${parameterOf(member, type)}::${sql.raw(`${type}[]`)}`
  )
  const list = sql.join(values, sql`, `)
  const names = sql.raw(
    Object.keys(types)
      .map((member) => `"${member}"`)
      .join(', ')
  )
  return sql`unnest(${list}) as r(${names})`
}

const arrayOf = (rows: readonly object[], member: string, type = 'text'): string =>
  `{${rows.map((row) => elementOf((row as Record<string, unknown>)[member], type)).join(',')}}`

function elementOf(value: unknown, type: string): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return `"${value.toISOString()}"`
  if (type === 'jsonb') return quoted(JSON.stringify(value))
  if (Array.isArray(value)) return quoted(makePgArray(value))
  return typeof value === 'string' ? quoted(value) : `${value}`
}

/** Most texts need no escapes, and a test is quicker than a replacement. */
const quoted = (text: string) => (/["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`)

const columnsOf = (table: PgTable, members?: readonly string[]): [string, PgColumn][] =>
  Object.entries(writtenColumns<PgTable>(table)).filter(([member]) => members?.includes(member) ?? true)

/** The column names of the table, by default of all members, comma-separated. */
export const columnList = (table: PgTable, members?: readonly string[]): SQL =>
  sql.raw(
    columnsOf(table, members)
      .map(([, { name }]) => `"${name}"`)
      .join(', ')
  )

/** The columns of the rows `r`, or the parameters or SQL of `common`, which all rows share. */
export function valueList(
  table: PgTable,
  common: Readonly<Record<string, unknown>> = {},
  members?: readonly string[]
): SQL {
  const values = columnsOf(table, members).map(([member, column]) => {
    if (!(member in common)) return rowValue(member, column)
    const value = common[member]
    return is(value, SQL) ? value : sql`${sql.param(value, column)}::${sql.raw(column.getSQLType())}`
  })
  return sql.join(values, sql`, `)
}

/** The `set` list of an update: `column = r."member"`, by default for all members but the id. */
export function assignmentList(table: PgTable, members?: readonly string[]): SQL {
  const assignments = columnsOf(table, members)
    .filter(([member]) => members || member !== 'id')
    .map(([member, column]) => sql`${sql.identifier(column.name)} = ${rowValue(member, column)}`)
  return sql.join(assignments, sql`, `)
}

const rowValue = (member: string, column: PgColumn): SQL =>
  sql.raw(isArray(column) ? `r."${member}"::${column.getSQLType()}` : `r."${member}"`)
