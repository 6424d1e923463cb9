import { isConnectionLost, isReadOnlyServer } from '../../platform/errors/pg-errors.js'
import type { DatabaseServers } from '../database-url.js'
import { type Client, type ClientOptions, openClient } from './client.js'
import { ConnectionLostError } from './errors.js'
import { type Execute, type Executor, inTransaction, type Query, type QueryObserver } from './query.js'

export type ConnectionOptions = ClientOptions & {
  /** After this many milliseconds without a response to a query, the connection counts as lost. */
  responseTimeoutMs?: number
  onQueryEnd?: QueryObserver
}

/**
 * worn: the pool replaces it, because its server accepts no writes or it has too many prepared
 * statements. lost: it rejects queries.
 */
type State = 'new' | 'open' | 'worn' | 'lost'

/**
 * PostgreSQL keeps each prepared statement with its plan, about 0.2 MB, until the connection ends.
 */
const MAX_PREPARED_STATEMENTS = 200

/** Seconds that a closing connection waits for queries in flight. */
const CLOSE_TIMEOUT_S = 5

/**
 * One connection to PostgreSQL. While a transaction runs on it, no other query may use it.
 *
 * After a lost connection postgres.js continues on a new connection: it sends the rest of a lost
 * transaction there, each statement committed separately. postgres.js also rejects unsent queries
 * with the old error, and some queries never settle. So each client of the driver connects only
 * once, and queries in flight are rejected here.
 */
export class Connection {
  #state: State = 'new'
  #client: Promise<Client> | undefined
  readonly #inFlight = new Set<(cause: Error) => void>()
  readonly #prepared = new Set<string>()
  readonly #ending = new AbortController()
  #silence: NodeJS.Timeout | undefined

  /** @param servers shared by the connections of a pool. */
  constructor(
    private readonly servers: DatabaseServers,
    private readonly options: ConnectionOptions
  ) {}

  get state(): State {
    return this.#state
  }

  /**
   * @throws ConnectionLostError 08006 if the query was never sent, 08007 if its outcome is unknown.
   */
  readonly execute: Execute = async (query) => {
    if (this.#state === 'lost') throw new ConnectionLostError('08006')
    this.#client ??= this.#open()
    return this.#send(await this.#client, query)
  }

  begin<T>(run: (tx: Executor) => Promise<T>): Promise<T> {
    return inTransaction(this.execute, run, () => this.#lose())
  }

  /** Waits for queries in flight, at most {@link CLOSE_TIMEOUT_S}, and closes the connection. */
  async end(): Promise<void> {
    // While connecting, the server may take long to respond, so abort first.
    this.#ending.abort()
    const client = await this.#client?.catch(() => undefined)
    await client?.sql.end({ timeout: this.#state === 'lost' ? 0 : CLOSE_TIMEOUT_S })
  }

  async #open(): Promise<Client> {
    this.#state = 'open'
    try {
      return await openClient(this.servers, this.options, () => this.#lose(), this.#ending.signal)
    } catch (cause) {
      this.#state = 'lost'
      throw cause
    }
  }

  #send<R>(client: Client, { text, parameters = [], form, isPrepared }: Query): Promise<R> {
    const prepare = isPrepared === true && client.sql.options.prepare
    if (prepare && this.#prepared.add(text).size >= MAX_PREPARED_STATEMENTS) this.#wearOut()
    const { onQueryEnd } = this.options
    const start = performance.now()
    const result = new Promise<R>((resolve, reject) => {
      this.#inFlight.add(reject)
      if (this.#inFlight.size === 1) this.#awaitResponse(client)
      const query = client.sql.unsafe(text, parameters as never[], { prepare })
      const rows = (form === 'values' || form === 'raw' ? query[form]() : query) as unknown as PromiseLike<R>
      rows
        .then(resolve, (cause) => reject(this.#failureOf(cause)))
        .then(() => {
          this.#inFlight.delete(reject)
          this.#awaitResponse(client)
        })
    })
    if (onQueryEnd)
      result.then(
        () => onQueryEnd(text, start),
        (cause) => onQueryEnd(text, start, cause)
      )
    return result
  }

  #awaitResponse(client: Client): void {
    clearTimeout(this.#silence)
    if (this.#inFlight.size === 0 || this.options.responseTimeoutMs === undefined) return
    this.#silence = setTimeout(() => {
      this.#lose()
      client.destroy()
    }, this.options.responseTimeoutMs)
  }

  /** The error of a query, after which the connection may be worn or lost. */
  #failureOf(cause: Error): Error {
    if (isReadOnlyServer(cause)) this.#wearOut()
    else if (isConnectionLost(cause)) {
      // The driver detects the close later, and would accept queries until then.
      this.#lose()
      if (!(cause instanceof ConnectionLostError)) return new ConnectionLostError('08007', { cause })
    }
    return cause
  }

  #wearOut(): void {
    if (this.#state === 'open') this.#state = 'worn'
  }

  #lose(): void {
    this.#state = 'lost'
    // Delayed, because an error that the driver reports itself is more exact.
    setImmediate(() => {
      for (const reject of this.#inFlight) reject(new ConnectionLostError('08007'))
    })
  }
}
