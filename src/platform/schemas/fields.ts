import type { Static, TBoolean, TInteger, TOptional, TString, TUnsafe } from '@sinclair/typebox'
import { withTextLimit } from './input-schemas.js'
import { Maybe, Nullable } from './schemas.js'

/** A nullable member of a resource with the value of one column. */
export interface Field {
  column: string
  /**
   * The value when it is not null, with its description and an example. A text without a format
   * has the maximum length of all texts.
   */
  schema: TString | TInteger | TBoolean
}

/** Fields by their names in the wire format. `More` has the further members of each field. */
export type Fields<More = unknown> = Readonly<Record<string, Field & More>>

export type TextFields = Readonly<Record<string, Field & { schema: TString }>>

export type FieldValue<F extends Field> = Static<F['schema']> | null

/** An object with the fields' names and a result for each field. */
export const eachField = <N extends string, F, R>(
  fields: Readonly<Record<N, F>>,
  make: (field: F) => R
): Record<N, R> =>
  Object.fromEntries(Object.entries<F>(fields).map(([name, field]) => [name, make(field)])) as Record<N, R>

/** The members of the input. Each may be absent or null. */
export const inputMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => Maybe(withTextLimit(schema))) as {
    [K in keyof F]: TOptional<TUnsafe<FieldValue<F[K]>>>
  }

export const responseMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => Nullable(schema)) as { [K in keyof F]: TUnsafe<FieldValue<F[K]>> }

export const exampleMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => schema.example) as { [K in keyof F]: FieldValue<F[K]> }
