import type { DatabaseHost, DatabaseServers } from '../database-url.js'
import { type Client, type ClientOptions, createClient } from './client.js'
import { ConnectionLostError, NoWritableHostError } from './errors.js'

/**
 * Connects to the first host that responds and, where the URL requires it, accepts writes. Each
 * host has the driver's `connect_timeout`.
 * @param servers the host that was connected to becomes its first one.
 * @param onClose called when the connection is closed later.
 * @param signal ends the attempt.
 * @throws NoWritableHostError; the error of the driver or of PostgreSQL if the URL has one host,
 *   which accepts any; ConnectionLostError 08006 if that host closed the connection.
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
  // The driver's timeout ends when the server is ready. The first query has as long again.
  const connectTimeoutMs = 1000 * (options.connect_timeout ?? DEFAULT_CONNECT_TIMEOUT_S)
  const overdue = setTimeout(client.destroy, 2 * connectTimeoutMs)
  signal.addEventListener('abort', client.destroy)
  try {
    const rows = await new Promise<readonly Row[]>((resolve, reject) => {
      // Later, because an error that the driver reports itself is more exact.
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
