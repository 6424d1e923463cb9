import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { statement } from '../sql/statement.js'
import { type Batcher, createBatcher } from './batcher.js'

export interface SingleRowQuery {
  name: string
  types: readonly string[]
  /** Writes the query. The query must use the values and return at most one row. */
  write: (...values: readonly SQL[]) => SQL
}

const MAX_BATCH_SIZE = 16

/** The next batch starts after this many milliseconds even while a batch is in flight. */
const MAX_WAIT_MS = 20

/** Prepares a query that returns at most one row. Concurrent calls share one statement. */
export function singleRowQuery<C extends Buffer[]>(
  query: SingleRowQuery
): Batcher<readonly string[], C | undefined> {
  const run = statement<readonly string[], C>(batched(query), { isRaw: true })
  return createBatcher<readonly string[], C | undefined>({
    name: query.name,
    async execute(db, calls) {
      const results = new Array<C | undefined>(calls.length).fill(undefined)
      const arrays = query.types.map((_, index) => makePgArray(calls.map((values) => values[index])))
      for (const row of await run(db, arrays)) results[Number(row.at(-1)) - 1] = row
      return results
    },
    maxBatchWeight: MAX_BATCH_SIZE,
    maxWaitMs: MAX_WAIT_MS
  })
}

/**
 * From a sub-select PostgreSQL does not know the length of an array. With a known length PostgreSQL
 * would make a plan for each call, which takes longer than the query.
 */
function batched({ types, write }: SingleRowQuery): SQL {
  const arrays = types.map((type, index) => sql`(select ${sql.placeholder(`${index}`)}::${sql.raw(type)}[])`)
  const names = types.map((_, index) => sql.raw(`value${index}`))
  return sql`select found.*, call.number
    from unnest(${sql.join(arrays, sql`, `)}) with ordinality as call(${sql.join(names, sql`, `)}, number),
      lateral (${write(...names.map((name) => sql`call.${name}`))}) found`
}
