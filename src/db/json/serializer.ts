import { type SQL, sql } from 'drizzle-orm'

/** Literal JSON text, or an SQL expression whose value is JSON text and never null. */
export type SqlPart = string | { expression: string }

/**
 * A JSON serializer that can run in Node (`toJson`) or in PostgreSQL (`toSql`). A row that is only
 * passed on is serialized by PostgreSQL, so Node neither parses nor stringifies it.
 */
export interface Serializer<R, T> {
  toJson(row: R): T
  /**
   * @param alias the name of the table in the statement.
   * @param isOpen omit the closing brace of an object, so that members can be appended.
   */
  toSql(alias: string, isOpen?: boolean): SqlPart[]
  /** Upper bound of the JSON's size. */
  size(alias: string): JsonSize
}

/** A size in bytes: a constant, and SQL expressions that depend on the row and may be null. */
export interface JsonSize {
  fixed: number
  varying: readonly string[]
  /** As `varying`, not included in the stored size of a row. */
  unstored?: readonly string[]
}

/** The SQL expression for the upper bound of the JSON's size in bytes. */
export function jsonSize(serializer: Serializer<never, unknown>, alias: string): SQL {
  const { fixed, varying, unstored = [] } = serializer.size(alias)
  return sql.raw([fixed, ...[...varying, ...unstored].map(orZero)].join(' + '))
}

const orZero = (expression: string) => `coalesce(${expression}, 0)`

/**
 * As {@link jsonSize}, with the varying part from a column, so that large values need not be read.
 */
export const storedJsonSize = (
  serializer: Serializer<never, unknown>,
  alias: string,
  column = 'json_bytes'
): SQL => {
  const { fixed, unstored = [] } = serializer.size(alias)
  return sql.raw([fixed, `${alias}.${column}`, ...unstored.map(orZero)].join(' + '))
}

/**
 * A serializer of columns that the stored size of the row does not include. They are short: a page
 * reads them to add up its size.
 */
export const outsideStoredSize = <R, T>(serializer: Serializer<R, T>): Serializer<R, T> => ({
  ...serializer,
  size: (alias) => {
    const { fixed, varying } = serializer.size(alias)
    return { fixed, varying: [], unstored: varying }
  }
})

const sum = (sizes: readonly JsonSize[]): JsonSize => ({
  fixed: sizes.reduce((total, { fixed }) => total + fixed, 0),
  varying: sizes.flatMap(({ varying }) => varying),
  unstored: sizes.flatMap(({ unstored = [] }) => unstored)
})

/** The SQL expression for the JSON text. Building it is slow: do it once. */
export const jsonText = (serializer: Serializer<never, unknown>, alias: string): SQL =>
  sql.raw(toExpression(serializer, alias))

/** As {@link jsonText}, without the closing brace, so that members can be appended. */
export const openJsonText = (serializer: Serializer<never, object>, alias: string): SQL =>
  sql.raw(toExpression(serializer, alias, true))

function toExpression(serializer: Serializer<never, unknown>, alias: string, isOpen = false): string {
  const values: string[] = []
  let text = ''
  for (const part of serializer.toSql(alias, isOpen))
    if (typeof part === 'string') text += part
    else {
      values.push(quoteLiteral(text), part.expression)
      text = ''
    }
  // Each call of a function costs, for each row.
  if (values.length === 0) return quoteLiteral(text)
  return `concat(${[...values, quoteLiteral(text)].filter((value) => value !== "''").join(', ')})`
}

/** An object with these members in this order. */
export function jsonObject<R, T extends object>(
  members: { [K in keyof T]: Serializer<R, T[K]> }
): Serializer<R, T> {
  const entries = Object.entries<Serializer<R, unknown>>(members)
  const key = (name: string, index: number) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
  return {
    toJson: (row) => Object.fromEntries(entries.map(([name, member]) => [name, member.toJson(row)])) as T,
    toSql: (alias, isOpen = false) => [
      ...entries.flatMap(([name, member], index) => [key(name, index), ...member.toSql(alias)]),
      isOpen ? '' : '}'
    ],
    size: (alias) =>
      sum([
        ...entries.map(([, member]) => member.size(alias)),
        { fixed: 1 + sum(entries.map(([name], index) => constantSize(key(name, index)))).fixed, varying: [] }
      ])
  }
}

const constantSize = (json: string): JsonSize => ({ fixed: Buffer.byteLength(json), varying: [] })

/** Always null. */
export const jsonNull: Serializer<unknown, null> = {
  toJson: () => null,
  toSql: () => ['null'],
  size: () => constantSize('null')
}

/** A condition on a row. */
export interface RowCondition<R> {
  matches(row: R): boolean
  toSql(alias: string): string
}

/** Rows that match one of the conditions. */
export const anyOf = <R>(...conditions: readonly RowCondition<R>[]): RowCondition<R> => ({
  matches: (row) => conditions.some((each) => each.matches(row)),
  toSql: (alias) => `(${conditions.map((each) => each.toSql(alias)).join(' or ')})`
})

/** `then` for rows that match the condition, `otherwise` for the others. */
export const jsonWhen = <R, A, B>(
  condition: RowCondition<R>,
  then: Serializer<R, A>,
  otherwise: Serializer<R, B>
): Serializer<R, A | B> => ({
  toJson: (row) => (condition.matches(row) ? then : otherwise).toJson(row),
  toSql: (alias, isOpen) => [
    {
      expression: `case when ${condition.toSql(alias)} then ${toExpression(then, alias, isOpen)} else ${toExpression(otherwise, alias, isOpen)} end`
    }
  ],
  size: (alias) => {
    const [one, other] = [then.size(alias), otherwise.size(alias)]
    return {
      fixed: Math.max(one.fixed, other.fixed),
      varying: [...new Set([...one.varying, ...other.varying])],
      unstored: [...new Set([...(one.unstored ?? []), ...(other.unstored ?? [])])]
    }
  }
})

/** An SQL string literal. */
export const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`
