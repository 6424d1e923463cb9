import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Database } from '../driver/database.js'
import { statement } from '../sql/statement.js'
import { createBatcher } from './batcher.js'

/** A query of at most one row, in two forms. */
export interface SingleRowQuery<V> {
  /** The SQL types of the values. */
  types: { readonly [K in keyof V]: string }
  /** Writes the query. It must use the values and return one row at most. */
  write: (values: { readonly [K in keyof V]: SQL }) => SQL
}

export interface BatchingOptions {
  /** Whether concurrent callers share a statement. */
  isBatched: boolean
}

/** Maximum number of callers that share a statement. */
const MAX_BATCH_SIZE = 16

/** The next batch starts after this many milliseconds even while one is in flight. */
const MAX_WAIT_MS = 20

/**
 * Prepares a query of at most one row. Single, each call is a statement of its own, with its values
 * as plain parameters. Batched, concurrent calls share a statement, which runs the same query for
 * each of them. Columns come as PostgreSQL sends them.
 */
export function singleRowQuery<V extends Record<string, string>, C extends Buffer[]>(
  db: Database,
  query: SingleRowQuery<V>,
  { isBatched }: BatchingOptions
): (values: V) => Promise<C | undefined> {
  return isBatched ? batched<V, C>(db, query) : single<V, C>(db, query)
}

const valuesOf = <V>({ types }: SingleRowQuery<V>, value: (name: string, type: string) => SQL) =>
  Object.fromEntries(Object.entries<string>(types).map(([name, type]) => [name, value(name, type)])) as {
    [K in keyof V]: SQL
  }

function single<V extends Record<string, string>, C extends Buffer[]>(
  db: Database,
  query: SingleRowQuery<V>
) {
  const values = valuesOf(query, (name, type) => sql`${sql.placeholder(name)}::${sql.raw(type)}`)
  const run = statement<V, C>(query.write(values), { isRaw: true })
  return async (values: V) => (await run(db, values))[0]
}

/** The number of the call comes last. */
function batched<V extends Record<string, string>, C extends Buffer[]>(
  db: Database,
  query: SingleRowQuery<V>
) {
  const names = Object.keys(query.types)
  // From a sub-select PostgreSQL does not know the length of an array. By the length it would make
  // a plan for each call, which takes longer than the query.
  const arrays = Object.values(
    valuesOf(query, (name, type) => sql`(select ${sql.placeholder(name)}::${sql.raw(type)}[])`)
  )
  const run = statement<Record<string, string>, [...C, number: Buffer]>(
    sql`select found.*, call.number
      from unnest(${sql.join(arrays, sql`, `)}) with ordinality as call(${sql.raw(names.join(', '))}, number),
        lateral (${query.write(valuesOf(query, (name) => sql.raw(`call.${name}`)))}) found`,
    { isRaw: true }
  )
  return createBatcher<V, C | undefined>({
    async execute(calls) {
      const arrays = names.map((name) => [name, makePgArray(calls.map((call) => call[name]))])
      const results = new Array<C | undefined>(calls.length).fill(undefined)
      for (const row of await run(db, Object.fromEntries(arrays)))
        results[Number(row.at(-1)) - 1] = row as unknown as C
      return results
    },
    maxBatchWeight: MAX_BATCH_SIZE,
    maxWaitMs: MAX_WAIT_MS
  })
}
