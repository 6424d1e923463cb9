import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgTable } from 'drizzle-orm/pg-core'

/** Rows that a prepared statement takes as parameters, one array for each member. */
export interface RowArrays<R, M = object> {
  /** `unnest(…) as r("member", …)`, with a placeholder for each array. */
  from: SQL
  /**
   * Sets the values of the placeholders. A missing member is null.
   * @param more for each row the further members, by default the row itself.
   */
  fill(values: Record<string, string>, rows: readonly Partial<R>[], more?: readonly M[]): void
}

type Row<T extends PgTable> = InferSelectModel<T>

/**
 * Declares rows of a table as array parameters. The statement text does not depend on the number of
 * rows. Unlike a JSON parameter, arrays may stand beside the key of a distributed table: a router
 * passes them on with the statement.
 * @param name unique among the rows of a statement; begins the names of the placeholders.
 * @param members the members that the statement uses, by default all of the table.
 * @param more types of further members that are no columns.
 */
export function rowArrays<T extends PgTable, M extends object = object>(
  table: T,
  name: string,
  members: readonly (keyof Row<T> & string)[] = Object.keys(getTableColumns(table)) as never,
  more: { readonly [K in keyof M]: string } = {} as never
): RowArrays<Row<T>, M> {
  const columns = getTableColumns(table)
  const own = members.map((member) => arrayOf(name, member, columns[member]?.getSQLType() ?? ''))
  const others = Object.entries<string>(more).map(([member, type]) => arrayOf(name, member, type))
  const all = [...own, ...others]
  const arrays = all.map(({ key, type }) => sql`${sql.placeholder(key)}::${sql.raw(type)}[]`)
  const names = all.map(({ member }) => `"${member}"`).join(', ')
  return {
    from: sql`unnest(${sql.join(arrays, sql`, `)}) as r(${sql.raw(names)})`,
    fill(values, rows, moreRows = rows as never) {
      for (const each of own) values[each.key] = toArray(rows, each)
      for (const each of others) values[each.key] = toArray(moreRows, each)
    }
  }
}

/** The array of a member: its placeholder and its SQL type. */
interface MemberArray {
  member: string
  key: string
  type: string
}

/** Arrays differ in length, which PostgreSQL's nested arrays cannot: they are elements of text. */
const arrayOf = (name: string, member: string, type: string): MemberArray => ({
  member,
  key: `${name}.${member}`,
  type: type.endsWith('[]') ? 'text' : type
})

const toArray = (rows: readonly object[], { member, type }: MemberArray): string =>
  makePgArray(rows.map((row) => toElement((row as Record<string, unknown>)[member], type)))

function toElement(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (type === 'jsonb') return JSON.stringify(value)
  return Array.isArray(value) ? makePgArray(value) : value
}
