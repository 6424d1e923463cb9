import { sql } from 'drizzle-orm'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import { createPool } from './pool.js'
import type { Client } from './query.js'

/** What queries are asked: the database, or a transaction. */
export type Queryable = PostgresJsDatabase
/** The database: its connections, of which each statement takes one. */
export type Database = Queryable & { $client: Client }
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
  const client = createPool(url, pool, {
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: 'ssl-backend', statement_timeout: statementTimeout }
  })
  const db = Object.assign(drizzle(client as unknown as Sql), { $client: client })
  return {
    db,
    close: () => client.end()
  }
}

/** Resolves when the database answers, rejects when it does not. */
export const isAnswering = (db: Database) => db.execute(sql`select 1`)
