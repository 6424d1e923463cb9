import type { Static, TBoolean, TInteger, TString } from '@sinclair/typebox'

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
