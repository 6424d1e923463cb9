import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Coding } from '../platform/schemas.js'
import { type Form, quoted, type Test } from './form.js'

/** Codes with what each of them means; `of` also says how one that is not among them is shown. */
export interface Codes {
  all: readonly string[]
  of(code: string): Coding
}

/** The forms of the members of a table's rows; R is what of a row is shown. */
export function membersOf<R extends object>(table: PgTable) {
  type Member = keyof R & string
  type Text<K extends Member> = R[K] & (string | null)
  const columns = getTableColumns(table)

  const columnOf = (member: Member) => {
    const column = columns[member]
    if (!column) throw new Error(`No column is called ${member}.`)
    return column
  }
  const named = (member: Member, alias: string) => `${alias}."${columnOf(member).name}"`

  /** A form by an expression that makes the JSON of the column, or is null where there is nothing in it. */
  const by = <T>(
    member: Member,
    of: (row: R) => T,
    expressionOf: (column: string) => string
  ): Form<R, T> => ({
    of,
    parts: (alias) => {
      const expression = expressionOf(named(member, alias))
      return [{ expression: columnOf(member).notNull ? expression : `coalesce(${expression}::text, 'null')` }]
    }
  })

  return {
    /** What is stored, as it is: text, number, boolean or JSON. */
    value: <K extends Member>(member: K): Form<R, R[K]> =>
      by(
        member,
        (row) => row[member],
        (column) => `to_json(${column})`
      ),

    /** The address of what an id stands for. */
    url: <K extends Member>(member: K, prefix: string): Form<R, Text<K>> =>
      by(
        member,
        (row) => (row[member] === null ? null : `${prefix}${row[member]}`) as Text<K>,
        (column) => `to_json(${quoted(prefix)} || ${column})`
      ),

    /** A moment as ISO 8601 has it, in UTC. */
    moment: (member: Member): Form<R, string> =>
      by(
        member,
        (row) => (row[member] as Date).toISOString(),
        (column) => `to_json(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`
      ),

    /** The full coding of a code. */
    coding: (member: Member, { all, of }: Codes): Form<R, Coding> =>
      by(
        member,
        (row) => of((row[member] as string | null) ?? ''),
        (column) => {
          const known = all.map((code) => `when ${quoted(code)} then ${quoted(JSON.stringify(of(code)))}`)
          const others = JSON.stringify({ ...of(''), code: undefined }).slice(1)
          return `case ${column} ${known.join(' ')} else concat('{"code":', to_json(${column}), ${quoted(`,${others}`)}) end`
        }
      ),

    /** Text that begins otherwise than it is stored. */
    renamed: (member: Member, stored: string, shown: string): Form<R, string> =>
      by(
        member,
        (row) => {
          const text = row[member] as string
          return text.startsWith(stored) ? `${shown}${text.slice(stored.length)}` : text
        },
        (column) =>
          `to_json(case when starts_with(${column}, ${quoted(stored)}) then ${quoted(shown)} || substr(${column}, ${stored.length + 1}) else ${column} end)`
      ),

    has: (member: Member): Test<R> => ({
      holds: (row) => row[member] !== null,
      condition: (alias) => `${named(member, alias)} is not null`
    }),

    is: <K extends Member>(member: K, value: R[K] & string): Test<R> => ({
      holds: (row) => row[member] === value,
      condition: (alias) => `${named(member, alias)} = ${quoted(value)}`
    })
  }
}
