import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Coding } from '../../platform/schemas/schemas.js'
import { datePartsOf } from '../../platform/util/calendar-date.js'
import { type Part, quoted, type Serializer, type Size, type Test } from './serializer.js'

/** Codes with what each of them means; `of` also says how one that is not among them is shown. */
export interface Codes {
  all: readonly string[]
  of(code: string): Coding
}

/** Bytes of the JSON of a value, or of null, by the type of its column. */
const fixedSizes: Readonly<Record<string, number>> = { uuid: 38, boolean: 5, integer: 11 }

const iso = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'

/** The forms of the members of a table's rows; R is what of a row is shown. */
export function serializersOf<R extends object>(table: PgTable) {
  type Member = keyof R & string
  type Text<K extends Member> = R[K] & (string | null)
  const columns = getTableColumns(table)

  const columnOf = (member: Member) => {
    const column = columns[member]
    if (!column) throw new Error(`No column is called ${member}.`)
    return column
  }
  const named = (member: Member, alias: string) => `${alias}."${columnOf(member).name}"`

  /** The JSON of an expression on the column. */
  function json(member: Member, alias: string, expressionOf: (column: string) => string): Part[] {
    const expression = expressionOf(named(member, alias))
    return [{ expression: columnOf(member).notNull ? expression : `coalesce(${expression}, 'null')` }]
  }

  /** A JSON string of an id, or of what begins with something and ends with one: in it nothing is to be escaped. */
  function text(member: Member, alias: string, before: string): Part[] {
    return columnOf(member).notNull
      ? [JSON.stringify(before).slice(0, -1), { expression: named(member, alias) }, '"']
      : json(member, alias, (column) => `to_json(${quoted(before)} || ${column})`)
  }

  function value(member: Member, alias: string): Part[] {
    const type = columnOf(member).getSQLType()
    if (type === 'uuid') return text(member, alias, '')
    return json(member, alias, (column) => (type === 'jsonb' ? column : `to_json(${column})`))
  }

  /** Besides a constant, what a column's text or JSON takes; `null` or quotes are counted as well. */
  function size(member: Member, alias: string, constant = 0): Size {
    const column = named(member, alias)
    const type = columnOf(member).getSQLType()
    const fixed = fixedSizes[type]
    if (fixed !== undefined) return { fixed: fixed + constant, varying: [] }
    const isKnown = type === 'text' || type === 'jsonb'
    return { fixed: 4 + constant, varying: [`json_bytes_of(${isKnown ? column : `to_jsonb(${column})`})`] }
  }

  return {
    /** What is stored, as it is: text, number, boolean or JSON. */
    value: <K extends Member>(member: K): Serializer<R, R[K]> => ({
      of: (row) => row[member],
      parts: (alias) => value(member, alias),
      size: (alias) => size(member, alias)
    }),

    /** The address of what an id stands for. */
    url: <K extends Member>(member: K, prefix: string): Serializer<R, Text<K>> => ({
      of: (row) => (row[member] === null ? null : `${prefix}${row[member]}`) as Text<K>,
      parts: (alias) => text(member, alias, prefix),
      size: (alias) => size(member, alias, Buffer.byteLength(prefix))
    }),

    /** A moment as ISO 8601 has it, in UTC. */
    moment: (member: Member): Serializer<R, string> => ({
      of: (row) => (row[member] as Date).toISOString(),
      parts: (alias) =>
        json(member, alias, (column) => `to_json(to_char(${column} at time zone 'UTC', ${quoted(iso)}))`),
      size: () => ({ fixed: iso.length, varying: [] })
    }),

    /** A day of the calendar, yyyy-mm-dd, as `[year, month, day]`. */
    day: (member: Member): Serializer<R, [number, number, number]> => ({
      of: (row) => datePartsOf(row[member] as string),
      parts: (alias) => json(member, alias, (column) => `to_char(${column}, '"["FMYYYY","FMMM","FMDD"]"')`),
      size: () => ({ fixed: '[9999,12,31]'.length, varying: [] })
    }),

    /** The full coding of a code. */
    coding: (member: Member, { all, of }: Codes): Serializer<R, Coding> => ({
      of: (row) => of((row[member] as string | null) ?? ''),
      parts: (alias) => {
        const column = named(member, alias)
        const known = all.map((code) => `when ${quoted(code)} then ${quoted(JSON.stringify(of(code)))}`)
        const others = JSON.stringify({ ...of(''), code: undefined }).slice(1)
        const other = `concat('{"code":', to_json(${column}), ${quoted(`,${others}`)})`
        return [{ expression: `case ${column} ${known.join(' ')} else ${other} end` }]
      },
      size: (alias) => {
        const lengths = ['', ...all].map((code) => Buffer.byteLength(JSON.stringify(of(code))))
        return size(member, alias, Math.max(...lengths))
      }
    }),

    /** Text that begins otherwise than it is stored. */
    renamed: (member: Member, stored: string, shown: string): Serializer<R, string> => ({
      of: (row) => {
        const text = row[member] as string
        return text.startsWith(stored) ? `${shown}${text.slice(stored.length)}` : text
      },
      parts: (alias) =>
        json(member, alias, (column) => {
          const renamed = `${quoted(shown)} || substr(${column}, ${stored.length + 1})`
          return `to_json(case when starts_with(${column}, ${quoted(stored)}) then ${renamed} else ${column} end)`
        }),
      size: (alias) => size(member, alias, Buffer.byteLength(shown))
    }),

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
