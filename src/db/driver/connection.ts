import { createConnection, type Socket } from 'node:net'
import { makePgArray } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres, { type Options, type Sql } from 'postgres'
import { isConnectionLost } from '../../platform/errors/pg-errors.js'
import { ConnectionLostError } from './connection-lost.js'
import { createPendingQuery, type Driver, type DrizzleClient, type Execute } from './query.js'
import { inTransaction } from './transaction.js'

export type PooledConnectionOptions = Options<Record<string, never>>

/** One connection to PostgreSQL. While a transaction runs on it, nothing else may use it. */
export interface PooledConnection extends DrizzleClient {
  /** The connection was lost and takes no further queries. */
  readonly isClosed: boolean
  /** PostgreSQL holds as many prepared statements for this connection as it may. */
  readonly isStatementCacheFull: boolean
  /**
   * @throws ConnectionLostError 08006 if the query was never sent, 08007 if it was sent and got no
   *   response; the error of the driver if no connection could be opened; the error of PostgreSQL.
   */
  execute: Execute
}

/**
 * Prepared statements per connection. PostgreSQL keeps each with its plan, about 0.2 MB, until the
 * connection ends, and every combination of filters is another statement.
 */
const MAX_PREPARED_STATEMENTS = 200

/**
 * Creates a connection that connects on its first query.
 *
 * After a lost connection postgres.js continues on a new one: it sends the rest of a lost
 * transaction there, each statement committed separately, it rejects unsent queries with the old
 * error, and some queries never settle. So each client of the driver connects only once, and
 * pending queries are rejected here.
 */
export function openConnection(url: string, options: PooledConnectionOptions): PooledConnection {
  const pending = new Set<(cause: Error) => void>()
  let isClosed = false
  // The driver sends no query before PostgreSQL has sent its parameters and is ready.
  let isOpen = false
  const onparameter = () => {
    isOpen = true
  }
  function fail(): void {
    isClosed = true
    const code = isOpen ? '08007' : '08006'
    // Later, because an error that the driver reports itself is more exact.
    setImmediate(() => {
      for (const reject of pending) reject(new ConnectionLostError(code))
    })
  }
  let attempts = 0
  async function socket(address: Address): Promise<Socket> {
    if (!isClosed && attempts < address.host.length) return connectTo(address, attempts++)
    fail()
    throw new ConnectionLostError('08006')
  }
  // The pool decides how long a connection lives, not the driver.
  const lifetime = { socket, idle_timeout: null, max_lifetime: null } as object
  const listeners = { onparameter, onclose: fail }
  const client = postgres(url, { ...options, ...lifetime, ...listeners, max: 1, fetch_types: false })
  configureTypes(client)
  const prepared = new Set<string>()
  const driver = {
    unsafe(...[text, parameters, settings]: Parameters<Sql['unsafe']>) {
      if (settings?.prepare && client.options.prepare) prepared.add(text)
      return client.unsafe(text, parameters, settings)
    }
  } as Driver

  const execute: Execute = (task) =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new ConnectionLostError('08006'))
      pending.add(reject)
      task(driver)
        .then(resolve, (cause) => {
          if (!isConnectionLost(cause)) return reject(cause)
          // The driver learns of the close later and would accept queries until then.
          fail()
          const isUnsent = !isOpen || cause instanceof ConnectionLostError
          reject(isUnsent ? cause : new ConnectionLostError('08007', { cause }))
        })
        .then(() => pending.delete(reject))
    })

  return {
    get isClosed() {
      return isClosed
    },
    get isStatementCacheFull() {
      return prepared.size >= MAX_PREPARED_STATEMENTS
    },
    execute,
    options: client.options,
    unsafe: (...query) => createPendingQuery(execute, query),
    begin: (run) => inTransaction(execute, run, fail),
    end: () => client.end({ timeout: isClosed ? 0 : 5 })
  }
}

/** The address that the driver reads from the URL: hosts, each tried once, or a socket path. */
interface Address {
  host: string[]
  port: number[]
  path?: string
}

/** The driver reads the host from the socket to verify the name in the server's certificate. */
function connectTo({ host, port, path }: Address, attempt: number): Socket {
  const address = path ? { path } : { host: host[attempt] as string, port: port[attempt] as number }
  return Object.assign(createConnection(address), address)
}

/** OIDs of `text[]` and `uuid[]`. */
const arrayTypes = [1009, 2951]

/**
 * Configures types: Drizzle sets how timestamps and JSON are read, and arrays get serializers for
 * which the driver would query PostgreSQL.
 */
function configureTypes(client: Sql): void {
  drizzle(client)
  const { serializers } = client.options as { serializers: Record<number, (value: unknown) => unknown> }
  for (const type of arrayTypes)
    serializers[type] = (value) => (Array.isArray(value) ? makePgArray(value) : value)
}
