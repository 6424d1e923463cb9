import type { TOptional, TUnsafe } from '@sinclair/typebox'
import { eachField, type Fields, type FieldValue } from './fields.js'
import { withTextLimit } from './input-schemas.js'
import { Maybe, Nullable } from './schemas.js'

/** The members of the input. Each may be absent or null. */
export const inputMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => Maybe(withTextLimit(schema))) as {
    [K in keyof F]: TOptional<TUnsafe<FieldValue<F[K]>>>
  }

/** The members of the response. */
export const responseMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => Nullable(schema)) as { [K in keyof F]: TUnsafe<FieldValue<F[K]>> }

/** The members of the example in the documentation. */
export const exampleMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => schema.example) as { [K in keyof F]: FieldValue<F[K]> }
