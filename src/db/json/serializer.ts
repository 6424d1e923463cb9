import { type SQL, sql } from 'drizzle-orm'

/** JSON text as it stands, or the text of an expression of PostgreSQL that makes some and is never null. */
export type Part = string | { expression: string }

/**
 * How something goes to callers, declared once and made in two ways: `of` makes it of a row that is here, the parts let PostgreSQL
 * write it as JSON. What is read only to be shown then passes through this process as a text: it is neither parsed nor built nor
 * written here.
 */
export interface Serializer<R, T> {
  of(row: R): T
  /**
   * @param alias what the table is called in the statement
   * @param isOpen whether an object is left open, for further members
   */
  parts(alias: string, isOpen?: boolean): Part[]
  /** How many bytes its JSON has at most. */
  size(alias: string): Size
}

/** A number of bytes: what every row has, and expressions of PostgreSQL for what depends on the row, null for nothing. */
export interface Size {
  fixed: number
  varying: readonly string[]
}

/** The expression for the bytes that the JSON of a form has at most. */
export function sizeOf(form: Serializer<never, unknown>, alias: string): SQL {
  const { fixed, varying } = form.size(alias)
  return sql.raw([fixed, ...varying.map((expression) => `coalesce(${expression}, 0)`)].join(' + '))
}

/** The same where a column holds what depends on the row, so that large values need not be read. */
export const storedSizeOf = (form: Serializer<never, unknown>, alias: string, column = 'json_bytes'): SQL =>
  sql.raw(`${form.size(alias).fixed} + ${alias}.${column}`)

const sum = (sizes: readonly Size[]): Size => ({
  fixed: sizes.reduce((total, { fixed }) => total + fixed, 0),
  varying: sizes.flatMap(({ varying }) => varying)
})

/** The expression that makes the JSON text of a form, to be made once. */
export const jsonText = (form: Serializer<never, unknown>, alias: string): SQL =>
  sql.raw(expressionOf(form, alias))

/** The same of an object whose closing brace is left to who adds further members. */
export const openJsonText = (form: Serializer<never, object>, alias: string): SQL =>
  sql.raw(expressionOf(form, alias, true))

function expressionOf(form: Serializer<never, unknown>, alias: string, isOpen = false): string {
  const values: string[] = []
  let text = ''
  for (const part of form.parts(alias, isOpen))
    if (typeof part === 'string') text += part
    else {
      values.push(quoted(text), part.expression)
      text = ''
    }
  return `concat(${[...values, quoted(text)].join(', ')})`
}

/** An object of these members, in this order. */
export function object<R, T extends object>(
  members: { [K in keyof T]: Serializer<R, T[K]> }
): Serializer<R, T> {
  const entries = Object.entries<Serializer<R, unknown>>(members)
  const member = (name: string, at: number) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`
  return {
    of: (row) => Object.fromEntries(entries.map(([name, form]) => [name, form.of(row)])) as T,
    parts: (alias, isOpen = false) => [
      ...entries.flatMap(([name, form], at) => [member(name, at), ...form.parts(alias)]),
      isOpen ? '' : '}'
    ],
    size: (alias) =>
      sum([
        ...entries.map(([, form]) => form.size(alias)),
        { fixed: 1 + sum(entries.map(([name], at) => constant(member(name, at)))).fixed, varying: [] }
      ])
  }
}

const constant = (json: string): Size => ({ fixed: Buffer.byteLength(json), varying: [] })

export const nothing: Serializer<unknown, null> = {
  of: () => null,
  parts: () => ['null'],
  size: () => constant('null')
}

/** A condition on a row. */
export interface Test<R> {
  holds(row: R): boolean
  condition(alias: string): string
}

/** One form or the other. */
export const either = <R, A, B>(
  test: Test<R>,
  then: Serializer<R, A>,
  otherwise: Serializer<R, B>
): Serializer<R, A | B> => ({
  of: (row) => (test.holds(row) ? then : otherwise).of(row),
  parts: (alias, isOpen) => [
    {
      expression: `case when ${test.condition(alias)} then ${expressionOf(then, alias, isOpen)} else ${expressionOf(otherwise, alias, isOpen)} end`
    }
  ],
  size: (alias) => {
    const [one, other] = [then.size(alias), otherwise.size(alias)]
    return {
      fixed: Math.max(one.fixed, other.fixed),
      varying: [...new Set([...one.varying, ...other.varying])]
    }
  }
})

/** A text constant of PostgreSQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
