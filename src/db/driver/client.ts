import { createConnection, type Socket } from 'node:net'
import { makePgArray } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres, { type Options, type Sql } from 'postgres'
import type { DatabaseHost, DatabaseServers } from '../database-url.js'
import { ConnectionLostError, NoWritableHostError } from './errors.js'

export type ClientOptions = Options<Record<string, never>>

export interface Client {
  sql: Sql
  /** Closes the connection at once, also when the server does not respond. */
  destroy(): void
}

/**
 * Creates a client that connects once, on its first query. A failed connection attempt counts as a
 * close.
 */
export function createClient(host: DatabaseHost, options: ClientOptions, onClose: () => void): Client {
  let opened: Socket | undefined
  async function socket(address: Address): Promise<Socket> {
    if (opened) {
      onClose()
      throw new ConnectionLostError('08006')
    }
    opened = connectTo(address)
    return opened
  }
  // The pool decides how long a connection lives, not the driver.
  const lifetime = { socket, idle_timeout: null, max_lifetime: null, ...host.ipv6 } as object
  const sql = postgres(host.url, { ...options, ...lifetime, onclose: onClose, max: 1, fetch_types: false })
  configureTypes(sql)
  return { sql, destroy: () => opened?.destroy() }
}

/** The address that the driver reads from the URL: a host or a socket path. */
interface Address {
  host: string[]
  port: number[]
  path?: string
}

/** The driver reads the host from the socket to verify the name in the server's certificate. */
function connectTo({ host, port, path }: Address): Socket {
  const address = path ? { path } : { host: host[0] as string, port: port[0] as number }
  return Object.assign(createConnection(address), address)
}

/** OIDs of `bytea[]`, `text[]` and `uuid[]`. */
const arrayTypes = [1001, 1009, 2951]

/** Drizzle sets how timestamps and JSON are read. For arrays the driver would query PostgreSQL. */
function configureTypes(client: Sql): void {
  drizzle(client)
  const { serializers } = client.options as { serializers: Record<number, (value: unknown) => unknown> }
  for (const type of arrayTypes)
    serializers[type] = (value) => (Array.isArray(value) ? makePgArray(value) : value)
}

/**
 * Connects to the first host that responds and, where the URL requires it, accepts writes. That
 * host becomes the first of `servers`.
 * @throws NoWritableHostError. For a single host that need not accept writes, throws the error of
 *   the driver.
 */
export async function openClient(
  servers: DatabaseServers,
  options: ClientOptions,
  onClose: () => void,
  signal: AbortSignal
): Promise<Client> {
  const reasons: string[] = []
  let cause: unknown
  for (const host of [...servers.hosts])
    try {
      const client = await openOn(host, servers.isWritable, options, onClose, signal)
      servers.hosts.unshift(...servers.hosts.splice(servers.hosts.indexOf(host)))
      return client
    } catch (error) {
      cause = error
      reasons.push(reasonOf(host, error))
    }
  throw servers.isWritable ? new NoWritableHostError(reasons, { cause }) : cause
}

/** Default of the driver's `connect_timeout`, in seconds. */
const DEFAULT_CONNECT_TIMEOUT_S = 30

/** Connects with a first query, which also tells whether the server accepts writes. */
async function openOn(
  host: DatabaseHost,
  isWritable: boolean,
  options: ClientOptions,
  onClose: () => void,
  signal: AbortSignal
): Promise<Client> {
  if (signal.aborted) throw new ConnectionLostError('08006')
  let closed: () => void = () => {}
  const client = createClient(host, options, () => closed())
  // The driver's timeout ends when the server is ready. The first query has the same time in
  // addition.
  const connectTimeoutMs = 1000 * (options.connect_timeout ?? DEFAULT_CONNECT_TIMEOUT_S)
  const overdue = setTimeout(client.destroy, 2 * connectTimeoutMs)
  signal.addEventListener('abort', client.destroy)
  try {
    const rows = await new Promise<readonly Row[]>((resolve, reject) => {
      // Delayed, because an error that the driver reports itself is more exact.
      closed = () => setImmediate(reject, new ConnectionLostError('08006'))
      client.sql.unsafe<Row[]>('show transaction_read_only').then(resolve, reject)
    })
    if (isWritable && rows[0]?.transaction_read_only === 'on') throw new Error('read-only')
    closed = onClose
    return client
  } catch (cause) {
    client.destroy()
    throw cause
  } finally {
    clearTimeout(overdue)
    signal.removeEventListener('abort', client.destroy)
  }
}

interface Row {
  transaction_read_only: string
}

function reasonOf({ label }: DatabaseHost, error: unknown): string {
  if (error instanceof ConnectionLostError) return `${label}: closed the connection`
  const { message, code } = error as NodeJS.ErrnoException
  // The error of several addresses has no message.
  return `${label}: ${message || code}`
}
