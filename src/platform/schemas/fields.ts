import type { Static, TBoolean, TInteger, TString } from '@sinclair/typebox'

/** A nullable member of a resource that holds the value of one column. */
export interface Field {
  /** Member of the row, as in the table. */
  column: string
  /**
   * The value when it is not null, with its description and an example. A text gets the length
   * limit of all texts, but not a date, a text with the format `date`; an integer needs a minimum
   * and a maximum within its column.
   */
  schema: TString | TInteger | TBoolean
}

/** Fields by their names in the wire format. `More` is what each of them has besides. */
export type Fields<More = unknown> = Readonly<Record<string, Field & More>>

/** Fields that are texts. */
export type TextFields = Readonly<Record<string, Field & { schema: TString }>>

/** The value of a field. */
export type FieldValue<F extends Field> = Static<F['schema']> | null

/** An object with the fields' names and a result for each field. */
export const eachField = <N extends string, F, R>(
  fields: Readonly<Record<N, F>>,
  make: (field: F) => R
): Record<N, R> =>
  Object.fromEntries(Object.entries<F>(fields).map(([name, field]) => [name, make(field)])) as Record<N, R>
