import { sql } from 'drizzle-orm'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type Sql, type TransactionSql } from 'postgres'

/** What queries are asked: the database, or a transaction. */
export type Queryable = PostgresJsDatabase
/** The database: its connections, of which each statement takes one. */
export type Database = Queryable & { $client: Sql }
export type Transaction = Parameters<Parameters<Queryable['transaction']>[0]>[0]

/** A connection pool and the way to close it. */
export interface Connection {
  db: Database
  /** Waits for the statements under way, then closes the pool. */
  close(): Promise<void>
}

export interface ConnectionOptions {
  url: string
  /** Connections at most. */
  pool: number
  /** Milliseconds after which PostgreSQL ends a statement: nobody waits for it any longer, while others wait for what it holds. */
  statementTimeout: number
}

/** Opens a pool of connections; none is opened before the first statement. */
export function connect({ url, pool, statementTimeout }: ConnectionOptions): Connection {
  const client = postgres(url, {
    max: pool,
    connect_timeout: 5,
    idle_timeout: 60,
    onnotice: () => {},
    connection: { application_name: 'ssl-backend', statement_timeout: statementTimeout }
  })
  return { db: drizzle(preparing(client)), close: () => client.end({ timeout: 5 }) }
}

/**
 * Makes every statement a prepared one. Drizzle sends a statement unprepared unless it was named, and inside a transaction
 * always, which makes PostgreSQL parse and plan it anew each time.
 */
function preparing<T extends Sql | TransactionSql>(client: T): T {
  return new Proxy(client, {
    get(target, name) {
      if (name === 'unsafe')
        return (text: string, parameters: never[]) => target.unsafe(text, parameters, { prepare: true })
      if (name === 'begin' || name === 'savepoint') {
        const open = Reflect.get(target, name) as (run: (tx: TransactionSql) => unknown) => unknown
        return (run: (tx: TransactionSql) => unknown) => open.call(target, (tx) => run(preparing(tx)))
      }
      return Reflect.get(target, name)
    }
  })
}

/** Resolves when the database answers, rejects when it does not. */
export const isAnswering = (db: Database) => db.execute(sql`select 1`)
