import { getTableColumns } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

type Columns<T extends PgTable> = T['_']['columns']

type WrittenMember<T extends PgTable> = {
  [M in keyof Columns<T>]: Columns<T>[M]['_']['generated'] extends object
    ? never
    : Columns<T>[M]['_']['hasRuntimeDefault'] extends true
      ? never
      : M
}[keyof Columns<T>]

/** A row without the columns that PostgreSQL generates, a trigger copies or a statement counts. */
export type WrittenRow<T extends PgTable> = Pick<
  T['$inferSelect'],
  WrittenMember<T> & keyof T['$inferSelect']
>

/**
 * The columns of a table that the program writes. PostgreSQL fills the other columns: see `copied`
 * and `eventCounter` in tables.ts. The other columns are only for conditions.
 */
export const writtenColumns = <T extends PgTable>(table: T): Pick<Columns<T>, WrittenMember<T>> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).filter(
      ([, { generated, defaultFn }]) => generated === undefined && defaultFn === undefined
    )
  ) as Pick<Columns<T>, WrittenMember<T>>
