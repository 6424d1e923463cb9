import { type SQL, sql } from 'drizzle-orm'

/** Literal JSON text, or an SQL expression of type text whose value is JSON and never null. */
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
}

/** The SQL expression for the JSON text. Building it is slow: do it once. */
export const jsonText = (serializer: Serializer<never, unknown>, alias: string): SQL =>
  sql.raw(toExpression(serializer, alias))

/** As {@link jsonText}, without the closing brace, so that members can be appended. */
export const openJsonText = (serializer: Serializer<never, object>, alias: string): SQL =>
  sql.raw(toExpression(serializer, alias, true))

function toExpression(serializer: Serializer<never, unknown>, alias: string, isOpen = false): string {
  const terms: string[] = []
  let text = ''
  const endText = () => {
    if (text !== '') terms.push(quoteLiteral(text))
    text = ''
  }
  for (const part of serializer.toSql(alias, isOpen))
    if (typeof part === 'string') text += part
    else {
      endText()
      terms.push(part.expression)
    }
  endText()
  // Half the time of `concat`, which looks up how to write each argument as text.
  return terms.length === 0 ? "''" : `(${terms.join(' || ')})`
}

/** An object with these members in this order. */
export function jsonObject<R, T extends object>(
  members: { [K in keyof T]: Serializer<R, T[K]> }
): Serializer<R, T> {
  const entries = Object.entries<Serializer<R, unknown>>(members)
  const key = (name: string, index: number) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
  return {
    toJson(row) {
      const json: Record<string, unknown> = {}
      for (const [name, member] of entries) json[name] = member.toJson(row)
      return json as T
    },
    toSql: (alias, isOpen = false) => [
      ...entries.flatMap(([name, member], index) => [key(name, index), ...member.toSql(alias)]),
      isOpen ? '' : '}'
    ]
  }
}

/** Always null. */
export const jsonNull: Serializer<unknown, null> = {
  toJson: () => null,
  toSql: () => ['null']
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
  ]
})

/** An SQL string literal. */
export const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`
