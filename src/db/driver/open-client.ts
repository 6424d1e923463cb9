import { type DatabaseHost, parseDatabaseUrl } from '../database-url.js'
import { type Client, type ClientOptions, createClient } from './client.js'
import { ConnectionLostError } from './connection-lost.js'
import { NoWritableHostError } from './no-writable-host.js'

/** The hosts of a database URL. Remembers the last one that could be used and tries it first. */
export interface HostList {
  isWritable: boolean
  inTurn(): readonly DatabaseHost[]
  remember(host: DatabaseHost): void
}

export function createHostList(url: string): HostList {
  const { hosts, isWritable } = parseDatabaseUrl(url)
  let first = 0
  return {
    isWritable,
    inTurn: () => [...hosts.slice(first), ...hosts.slice(0, first)],
    remember(host) {
      first = hosts.indexOf(host)
    }
  }
}

/**
 * Connects to the first host that responds and, where the URL requires it, accepts writes. Each
 * host has the driver's `connect_timeout`.
 * @param onClose called when the connection is closed later.
 * @param signal ends the attempt.
 * @throws NoWritableHostError; the error of the driver or of PostgreSQL if the URL has one host,
 *   which accepts any; ConnectionLostError 08006 if that host closed the connection.
 */
export async function openClient(
  list: HostList,
  options: ClientOptions,
  onClose: () => void,
  signal: AbortSignal
): Promise<Client> {
  const reasons: string[] = []
  let cause: unknown
  for (const host of list.inTurn())
    try {
      const client = await openOn(host, list.isWritable, options, onClose, signal)
      list.remember(host)
      return client
    } catch (error) {
      cause = error
      reasons.push(reasonOf(host, error))
    }
  throw list.isWritable ? new NoWritableHostError(reasons, { cause }) : cause
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
