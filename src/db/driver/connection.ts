import { createConnection, type Socket } from 'node:net'
import { makePgArray } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres, { type Options, type Sql } from 'postgres'
import { isConnectionLost } from '../../platform/errors/pg-errors.js'
import { ConnectionLostError } from './connection-lost.js'
import { type Ask, type Asked, type Client, createQuery } from './query.js'
import { inTransaction } from './transaction.js'

export type PooledConnectionOptions = Options<Record<string, never>>

/** A connection to PostgreSQL, from its opening to its end; while a transaction runs, nothing else may be asked of it. */
export interface PooledConnection extends Client {
  /** Whether its connection went: nothing more can be asked of it. */
  readonly isOver: boolean
  /** Whether PostgreSQL keeps as many prepared statements for it as it should. */
  readonly isFull: boolean
  /**
   * @throws ConnectionLostError 08006 when the statement was never sent, 08007 when it was sent and not answered; the
   *   driver's error when no connection could be opened; an error of PostgreSQL when it refused the statement.
   */
  ask: Ask
}

/**
 * Prepared statements that a session may have: PostgreSQL keeps each with its plan, some 0.2 MB, until the session ends, and every
 * other combination of filters makes another statement.
 */
const most = 200

/**
 * Opens a session; it connects when it is first asked. Where a connection goes, the driver goes on over a new one: with the
 * statements of a transaction that is lost, each then committed by itself, and with the error of the old connection for a statement
 * that was never sent; and some statements never end. So a client of the driver connects once, and whoever waits for it when its
 * connection goes is told so here.
 */
export function openConnection(url: string, options: PooledConnectionOptions): PooledConnection {
  const waiting = new Set<(cause: Error) => void>()
  let isOver = false
  // The driver sends no statement before PostgreSQL has sent its parameters and is ready.
  let isOpen = false
  const onparameter = () => {
    isOpen = true
  }
  function giveUp(): void {
    isOver = true
    const code = isOpen ? '08007' : '08006'
    // What the driver can tell is told first.
    setImmediate(() => {
      for (const reject of waiting) reject(new ConnectionLostError(code))
    })
  }
  let attempts = 0
  async function socket(address: Address): Promise<Socket> {
    if (!isOver && attempts < address.host.length) return connectTo(address, attempts++)
    giveUp()
    throw new ConnectionLostError('08006')
  }
  // How long a session lasts is for the pool to say, which knows what it is used for.
  const connecting = { socket, idle_timeout: null, max_lifetime: null } as object
  const watching = { onparameter, onclose: giveUp }
  const client = postgres(url, { ...options, ...connecting, ...watching, max: 1, fetch_types: false })
  conveyValues(client)
  const prepared = new Set<string>()
  const asked = {
    unsafe(...[text, parameters, settings]: Parameters<Sql['unsafe']>) {
      if (settings?.prepare) prepared.add(text)
      return client.unsafe(text, parameters, settings)
    }
  } as Asked

  const ask: Ask = (work) =>
    new Promise((resolve, reject) => {
      if (isOver) return reject(new ConnectionLostError('08006'))
      waiting.add(reject)
      work(asked)
        .then(resolve, (cause) => {
          if (!isConnectionLost(cause)) return reject(cause)
          // The driver learns only later that the connection is closed, and would take more until then.
          giveUp()
          const isUnsent = !isOpen || cause instanceof ConnectionLostError
          reject(isUnsent ? cause : new ConnectionLostError('08007', { cause }))
        })
        .then(() => waiting.delete(reject))
    })

  return {
    get isOver() {
      return isOver
    },
    get isFull() {
      return prepared.size >= most
    },
    ask,
    options: client.options,
    unsafe: (...text) => createQuery(ask, text),
    begin: (run) => inTransaction(ask, run, giveUp),
    end: () => client.end({ timeout: isOver ? 0 : 5 })
  }
}

/** What the driver makes of the URL: hosts, of which each is tried once, or the path of a local socket. */
interface Address {
  host: string[]
  port: number[]
  path?: string
}

/** The driver asks the socket for the name that the server's certificate is to have. */
function connectTo({ host, port, path }: Address, at: number): Socket {
  const address = path ? { path } : { host: host[at] as string, port: port[at] as number }
  return Object.assign(createConnection(address), address)
}

const [texts, uuids] = [1009, 2951]

/** Tells the driver how Drizzle wants moments and JSON, and how arrays are written, for which it would ask PostgreSQL. */
function conveyValues(client: Sql): void {
  drizzle(client)
  const { serializers } = client.options as { serializers: Record<number, (value: unknown) => unknown> }
  for (const type of [texts, uuids])
    serializers[type] = (value) => (Array.isArray(value) ? makePgArray(value) : value)
}
