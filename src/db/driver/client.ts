import { createConnection, type Socket } from 'node:net'
import { makePgArray } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres, { type Options, type Sql } from 'postgres'
import type { DatabaseHost } from '../database-url.js'
import { ConnectionLostError } from './errors.js'

export type ClientOptions = Options<Record<string, never>>

/** A client of the driver with one connection. */
export interface Client {
  sql: Sql
  /** Closes the connection at once, also when the server does not respond. */
  destroy(): void
}

/**
 * Creates a client of the driver that connects on its first query, and only once.
 * @param onClose called when its connection is closed or could not be opened.
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
