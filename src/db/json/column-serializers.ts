import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Coding } from '../../platform/schemas/schemas.js'
import { datePartsOf } from '../../platform/util/calendar-date.js'
import { quoteLiteral, type RowCondition, type Serializer, type SqlPart } from './serializer.js'

/** Codes and their codings. `codingOf` also accepts an unknown code. */
export interface CodingLookup {
  codes: readonly string[]
  codingOf(code: string): Coding
}

/**
 * A time as a JSON string, as `Date.toISOString` writes it, in half the time of `to_char`. A tenth
 * of a millisecond keeps the zeros at the end, and is cut off.
 */
const jsonTime = (column: string) =>
  `left(to_json(${column} at time zone 'UTC' + interval '100 microseconds')::text, 24) || 'Z"'`

/** Creates serializers for the columns of a table. `R` is its row type. */
export function columnSerializers<R extends object>(table: PgTable) {
  type Member = keyof R & string
  type Text<K extends Member> = R[K] & (string | null)
  const columns = getTableColumns(table)

  const columnOf = (member: Member) => {
    const column = columns[member]
    if (!column) throw new Error(`The table has no column for ${member}.`)
    return column
  }
  const qualified = (member: Member, alias: string) => `${alias}."${columnOf(member).name}"`

  /** The JSON of an expression on the column. */
  function json(member: Member, alias: string, expressionOf: (column: string) => string): SqlPart[] {
    const expression = expressionOf(qualified(member, alias))
    return [{ expression: columnOf(member).notNull ? expression : `coalesce(${expression}, 'null')` }]
  }

  /** A JSON string of a prefix and an id. The id needs no escaping. */
  function prefixedId(member: Member, alias: string, prefix: string): SqlPart[] {
    return columnOf(member).notNull
      ? [JSON.stringify(prefix).slice(0, -1), { expression: `${qualified(member, alias)}::text` }, '"']
      : json(member, alias, (column) => `to_json(${quoteLiteral(prefix)} || ${column})::text`)
  }

  function value(member: Member, alias: string): SqlPart[] {
    const type = columnOf(member).getSQLType()
    if (type === 'uuid') return prefixedId(member, alias, '')
    return json(member, alias, (column) => `${type === 'jsonb' ? column : `to_json(${column})`}::text`)
  }

  return {
    /** The stored value: text, number, boolean or JSON. */
    value: <K extends Member>(member: K): Serializer<R, R[K]> => ({
      toJson: (row) => row[member],
      toSql: (alias) => value(member, alias)
    }),

    /** A URL: the prefix and the stored id. */
    url: <K extends Member>(member: K, prefix: string): Serializer<R, Text<K>> => ({
      toJson: (row) => (row[member] === null ? null : `${prefix}${row[member]}`) as Text<K>,
      toSql: (alias) => prefixedId(member, alias, prefix)
    }),

    /** A timestamp in ISO 8601, UTC. */
    timestamp: <K extends Member>(member: K): Serializer<R, null extends R[K] ? string | null : string> => ({
      toJson: (row) => ((row[member] as Date | null)?.toISOString() ?? null) as string,
      toSql: (alias) => json(member, alias, jsonTime)
    }),

    /** A calendar date (`yyyy-mm-dd`) as `[year, month, day]`. */
    day: (member: Member): Serializer<R, [number, number, number]> => ({
      toJson: (row) => datePartsOf(row[member] as string),
      toSql: (alias) => json(member, alias, (column) => `to_char(${column}, '"["FMYYYY","FMMM","FMDD"]"')`)
    }),

    /** The coding of a stored code. */
    coding: (member: Member, { codes, codingOf }: CodingLookup): Serializer<R, Coding> => ({
      toJson: (row) => codingOf((row[member] as string | null) ?? ''),
      toSql: (alias) => {
        const column = qualified(member, alias)
        const cases = codes.map(
          (code) => `when ${quoteLiteral(code)} then ${quoteLiteral(JSON.stringify(codingOf(code)))}`
        )
        const otherMembers = JSON.stringify({ ...codingOf(''), code: undefined }).slice(1)
        const unknown = `'{"code":' || to_json(${column}) || ${quoteLiteral(`,${otherMembers}`)}`
        return [{ expression: `case ${column} ${cases.join(' ')} else ${unknown} end` }]
      }
    }),

    /** Text with the prefix `stored` replaced by `shown`. */
    replacePrefix: (member: Member, stored: string, shown: string): Serializer<R, string> => ({
      toJson: (row) => {
        const text = row[member] as string
        return text.startsWith(stored) ? `${shown}${text.slice(stored.length)}` : text
      },
      toSql: (alias) =>
        json(member, alias, (column) => {
          const replaced = `${quoteLiteral(shown)} || substr(${column}, ${stored.length + 1})`
          return `to_json(case when starts_with(${column}, ${quoteLiteral(stored)}) then ${replaced} else ${column} end)::text`
        })
    }),

    isSet: (member: Member): RowCondition<R> => ({
      matches: (row) => row[member] !== null,
      toSql: (alias) => `${qualified(member, alias)} is not null`
    }),

    equals: <K extends Member>(member: K, value: R[K] & string): RowCondition<R> => ({
      matches: (row) => row[member] === value,
      toSql: (alias) => `${qualified(member, alias)} = ${quoteLiteral(value)}`
    })
  }
}
