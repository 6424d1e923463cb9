import type { Sql } from 'postgres'
import { isConnectionLost, isReadOnlyServer } from '../../platform/errors/pg-errors.js'
import type { Client, ClientOptions } from './client.js'
import { ConnectionLostError } from './connection-lost.js'
import { createHostList, openClient } from './open-client.js'
import { createPendingQuery, type Driver, type DrizzleClient, type Execute } from './query.js'
import { inTransaction } from './transaction.js'

export type PooledConnectionOptions = ClientOptions & {
  /**
   * The connection counts as lost when a query is in flight and PostgreSQL has sent no response
   * for this many ms, as when its machine lost power. Default: no limit.
   */
  responseTimeoutMs?: number
  /** Called when a query has ended. */
  onQueryEnd?: QueryObserver
}

/**
 * @param start when it was sent, by `performance.now()`.
 * @param cause the error of the query if it failed.
 */
export type QueryObserver = (start: number, cause?: Error) => void

/** One connection to PostgreSQL. While a transaction runs on it, nothing else may use it. */
export interface PooledConnection extends DrizzleClient {
  /** The connection was lost, or its server accepts no writes: it gets no further queries. */
  readonly isClosed: boolean
  /** PostgreSQL holds as many prepared statements for this connection as it may. */
  readonly isStatementCacheFull: boolean
  /**
   * @throws ConnectionLostError 08006 if the query was never sent, 08007 if it was sent and got no
   *   response; the error of `openClient` if none could be opened; the error of PostgreSQL.
   */
  execute: Execute
}

/**
 * Prepared statements per connection. PostgreSQL keeps each with its plan, about 0.2 MB, until the
 * connection ends, and every combination of filters is another statement.
 */
const MAX_PREPARED_STATEMENTS = 200

/** Seconds that a connection waits at its end for queries in flight. */
const CLOSE_TIMEOUT_S = 5

/**
 * Creates a connection that connects on its first query.
 *
 * After a lost connection postgres.js continues on a new one: it sends the rest of a lost
 * transaction there, each statement committed separately, it rejects unsent queries with the old
 * error, and some queries never settle. So each client of the driver connects only once, and
 * pending queries are rejected here.
 * @param hosts those of `url`; the connections of a pool share what it remembers.
 */
export function openConnection(
  url: string,
  { responseTimeoutMs, onQueryEnd, ...options }: PooledConnectionOptions,
  hosts = createHostList(url)
): PooledConnection {
  const pending = new Set<(cause: Error) => void>()
  const prepared = new Set<string>()
  let isClosed = false
  let isReadOnly = false
  let client: Client | undefined
  let driver: Driver | undefined
  let opening: Promise<Driver> | undefined
  const ended = new AbortController()
  let silence: NodeJS.Timeout | undefined

  function fail(): void {
    isClosed = true
    // Later, because an error that the driver reports itself is more exact.
    setImmediate(() => {
      for (const reject of pending) reject(new ConnectionLostError('08007'))
    })
  }

  /** Starts to wait for the next response. */
  function awaitResponse(): void {
    clearTimeout(silence)
    if (pending.size === 0 || responseTimeoutMs === undefined) return
    silence = setTimeout(() => {
      fail()
      client?.destroy()
    }, responseTimeoutMs)
  }

  async function open(): Promise<Driver> {
    try {
      client = await openClient(hosts, options, fail, ended.signal)
    } catch (cause) {
      isClosed = true
      throw cause
    }
    const { sql } = client
    driver = {
      unsafe(...[text, parameters, settings]: Parameters<Sql['unsafe']>) {
        if (settings?.prepare && sql.options.prepare) prepared.add(text)
        return sql.unsafe(text, parameters, settings)
      }
    } as Driver
    return driver
  }

  function send<T>(to: Driver, task: (driver: Driver) => PromiseLike<T>): Promise<T> {
    const start = performance.now()
    const result = new Promise<T>((resolve, reject) => {
      pending.add(reject)
      if (pending.size === 1) awaitResponse()
      task(to)
        .then(resolve, (cause) => reject(asLost(cause)))
        .then(() => {
          pending.delete(reject)
          awaitResponse()
        })
    })
    if (onQueryEnd)
      result.then(
        () => onQueryEnd(start),
        (cause) => onQueryEnd(start, cause)
      )
    return result
  }

  function asLost(cause: Error): Error {
    if (isReadOnlyServer(cause)) isReadOnly = true
    else if (isConnectionLost(cause)) {
      // The driver learns of the close later and would accept queries until then.
      fail()
      if (!(cause instanceof ConnectionLostError)) return new ConnectionLostError('08007', { cause })
    }
    return cause
  }

  const execute: Execute = (task) => {
    if (isClosed) return Promise.reject(new ConnectionLostError('08006'))
    if (driver) return send(driver, task)
    opening ??= open()
    return opening.then((opened) => send(opened, task))
  }

  return {
    get isClosed() {
      return isClosed || isReadOnly
    },
    get isStatementCacheFull() {
      return prepared.size >= MAX_PREPARED_STATEMENTS
    },
    execute,
    // `createClient` has configured the types.
    options: { parsers: {}, serializers: {} },
    unsafe: (...query) => createPendingQuery(execute, query),
    begin: (run) => inTransaction(execute, run, fail),
    async end() {
      // Nothing was sent yet, and the server may not respond for long.
      ended.abort()
      await opening?.catch(() => {})
      await client?.sql.end({ timeout: isClosed ? 0 : CLOSE_TIMEOUT_S })
    }
  }
}
