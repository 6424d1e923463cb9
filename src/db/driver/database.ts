import { sql } from 'drizzle-orm'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import { unwrapDriverError } from '../../platform/errors/pg-errors.js'
import { durationHistogram, observeGauge, secondsSince } from '../../platform/telemetry/meter.js'
import { addTiming } from '../../platform/telemetry/request-timings.js'
import { addClientSpan } from '../../platform/telemetry/spans.js'
import { createPool, type Pool } from './pool.js'
import type { DrizzleClient, Executor, QueryObserver } from './query.js'

type DrizzleTransaction = Parameters<Parameters<PostgresJsDatabase['transaction']>[0]>[0]

/** Runs queries: the database or a transaction. Only a unit of work begins a transaction. */
export type Queryable = Omit<PostgresJsDatabase, 'transaction'>
/** The connection pool. Each query uses one connection of it. */
export type Database = Queryable & { $client: Executor }
export type Transaction = Omit<DrizzleTransaction, 'transaction' | 'setTransaction'>

export interface DatabaseOptions {
  url: string
  /** Name of the pool in metrics. Without a name its queries are not measured. */
  poolName?: string
  maxConnections: number
  /** transaction: a pooler lends a connection for each transaction. No state stays in a session. */
  pooler?: 'none' | 'transaction'
  /** PostgreSQL cancels a statement after this many milliseconds, so that it releases its locks. */
  statementTimeoutMs: number
}

/** The name in `pg_stat_activity` of all connections of this program. */
const APPLICATION_NAME = 'ssl-backend'

/** Time for the response to a statement that PostgreSQL has cancelled. */
const RESPONSE_DELAY_MS = 5000

/** Creates a connection pool. Connections open on demand. */
export function connect({ url, poolName, maxConnections, pooler, statementTimeoutMs }: DatabaseOptions) {
  const isDirect = pooler !== 'transaction'
  const client = createPool(url, maxConnections, {
    connect_timeout: 5,
    onnotice: () => {},
    responseTimeoutMs: statementTimeoutMs + RESPONSE_DELAY_MS,
    prepare: isDirect,
    // The driver requests the types of parameters without a Sync. PgBouncer before 1.21 counts only
    // Syncs, so after another query it would lend the connection to other clients in between.
    ...(!isDirect && { maxInFlight: 1 }),
    ...(poolName !== undefined && { onQueryEnd: recordQueries(poolName) }),
    connection: {
      application_name: APPLICATION_NAME,
      ...(isDirect && { statement_timeout: statementTimeoutMs })
    }
  })
  const stopObserving = poolName === undefined ? () => {} : observePool(poolName, maxConnections, client)
  return {
    db: databaseOf(client),
    async close() {
      stopObserving()
      await client.end()
    }
  }
}

export const databaseOf = (client: DrizzleClient): Database =>
  drizzle(client as unknown as Sql) as unknown as Database

/** Rejects if the database does not respond. */
export const pingDatabase = (db: Database) => db.execute(sql`select 1`)

/**
 * A pooler does not pass on the time limit of `connect`.
 * @throws Error if statements have no time limit, or a longer one than `maxMs`.
 */
export async function assertStatementTimeout(db: Queryable, maxMs: number): Promise<void> {
  const [row] = await db.execute<{ ms: number; role: string }>(
    sql`select setting::int as ms, quote_ident(current_user) as role from pg_settings where name = 'statement_timeout'`
  )
  if (!row || (row.ms > 0 && row.ms <= maxMs)) return
  throw new Error(
    `The statement_timeout of the role ${row.role} is ${row.ms} ms through the connection pooler, and must be from 1 to ${maxMs} ms. Run: alter role ${row.role} set statement_timeout = '${maxMs}ms'. Then let the pooler connect to PostgreSQL again (PgBouncer: RECONNECT).`
  )
}

/**
 * Measures queries from sending to response, with the metric names of OpenTelemetry for databases.
 */
export function recordQueries(poolName: string): QueryObserver {
  const duration = durationHistogram('db.client.operation.duration', 'Duration of database queries.')
  const common = { 'db.system.name': 'postgresql', 'db.client.connection.pool.name': poolName }
  return (text, start, cause) => {
    const attributes = {
      ...common,
      ...(cause && { 'error.type': unwrapDriverError(cause)?.code ?? 'other' })
    }
    duration.record(secondsSince(start), attributes)
    addClientSpan('postgresql', start, attributes)
    addTiming(() => nameOfStatement(text), start)
  }
}

/** Names a statement by its first table and verb, such as `orders select`. */
function nameOfStatement(text: string): string {
  const [, verb = '', table] =
    /\b(insert|delete|update|from)\s+(?:into\s+|from\s+)?(?:only\s+)?(?:"?public"?\.)?"?(\w+)/i.exec(text) ??
    []
  if (table === undefined) return /\w+/.exec(text)?.[0] ?? 'statement'
  return `${table} ${verb === 'from' ? 'select' : verb}`
}

/** Observes the use of a pool until the returned function is called. */
export function observePool(poolName: string, maxConnections: number, pool: Pool): () => void {
  const name = { 'db.client.connection.pool.name': poolName }
  const gauges = [
    // OpenTelemetry calls this metric count, a suffix that Prometheus reserves for histograms.
    observeGauge('db.client.connection.usage', { description: 'Open connections by state.' }, () => {
      const { used, idle } = pool.usage()
      return [
        [used, { ...name, 'db.client.connection.state': 'used' }],
        [idle, { ...name, 'db.client.connection.state': 'idle' }]
      ]
    }),
    observeGauge('db.client.connection.max', { description: 'Maximum connections of the pool.' }, () => [
      [maxConnections, name]
    ]),
    observeGauge(
      'db.client.connection.pending_requests',
      { description: 'Queries and transactions that wait for a connection.' },
      () => [[pool.usage().waiting, name]]
    )
  ]
  return () => {
    for (const stop of gauges) stop()
  }
}
