import { sql } from 'drizzle-orm'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import { createPool } from './pool.js'
import type { DrizzleClient } from './query.js'

/** Runs queries: the database or a transaction. */
export type Queryable = PostgresJsDatabase
/** The connection pool. Each query uses one connection of it. */
export type Database = Queryable & { $client: DrizzleClient }
export type Transaction = Parameters<Parameters<Queryable['transaction']>[0]>[0]

/** A connection pool with its `close`. */
export interface OpenDatabase {
  db: Database
  /** Waits for queries in flight, then closes the pool. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  maxConnections: number
  /** PostgreSQL cancels a statement after this many ms, so that it does not hold its locks. */
  statementTimeoutMs: number
}

/** Creates a connection pool. Connections open on demand. */
export function connect({ url, maxConnections, statementTimeoutMs }: DatabaseOptions): OpenDatabase {
  const client = createPool(url, maxConnections, {
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: 'ssl-backend', statement_timeout: statementTimeoutMs }
  })
  const db = Object.assign(drizzle(client as unknown as Sql), { $client: client })
  return {
    db,
    close: () => client.end()
  }
}

/** Rejects if the database does not respond. */
export const pingDatabase = (db: Database) => db.execute(sql`select 1`)
