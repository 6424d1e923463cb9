import { timed } from '../../platform/telemetry/request-timings.js'
import { parseDatabaseUrl } from '../database-url.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { type DrizzleClient, preparedQueries } from './query.js'

export interface PoolOptions extends ConnectionOptions {
  /**
   * An unused connection is closed after one to two times this many milliseconds. Default: 60,000.
   */
  idleTimeoutMs?: number
  /**
   * Maximum queries in flight on one connection. Several queries share a write to the socket.
   * Default: 4.
   */
  maxInFlight?: number
}

interface Slot {
  connection: Connection
  /** Queries in flight. A transaction counts as `maxInFlight`. */
  inFlight: number
  wasUsed: boolean
}

interface Waiter {
  weight: number
  grant: (slot: Slot) => void
}

export interface Pool extends DrizzleClient {
  usage(): { used: number; idle: number; waiting: number }
}

/** Served waiters are removed from the queue in blocks of this size. */
const QUEUE_BLOCK = 1024

/**
 * Creates a connection pool. Each connection takes a few queries in sequence, or one transaction.
 * Further queries wait in a queue. Connections open on demand.
 *
 * The pool of postgres.js searches a list that grows while the pool is never idle. After a million
 * queries it needs several times as long for each query. A client with one connection has no such
 * list.
 */
export function createPool(
  url: string,
  maxConnections: number,
  { idleTimeoutMs = 60_000, maxInFlight = 4, ...options }: PoolOptions
): Pool {
  const servers = parseDatabaseUrl(url)
  const slots = Array.from(
    { length: maxConnections },
    (): Slot => ({ connection: new Connection(servers, options), inFlight: 0, wasUsed: false })
  )
  const idleTimer = setInterval(closeIdle, idleTimeoutMs).unref()
  let isEnded = false
  let queue: Waiter[] = []
  let head = 0

  /** Takes the least used slot. Recycles slots with a worn connection and no query in flight. */
  function acquire(weight: number): Slot | undefined {
    let least: Slot | undefined
    for (const slot of slots) {
      if (slot.inFlight === 0 && isWornOut(slot)) void recycle(slot)
      if (slot.inFlight < (least?.inFlight ?? maxInFlight) && !isWornOut(slot)) least = slot
    }
    if (!least || least.inFlight + weight > maxInFlight) return undefined
    least.inFlight += weight
    least.wasUsed = true
    return least
  }

  /** Closes the connection before the slot opens another: there are never more than the maximum. */
  async function recycle(slot: Slot): Promise<void> {
    slot.inFlight = maxInFlight
    await slot.connection.end()
    slot.connection = new Connection(servers, options)
    release(slot, maxInFlight)
  }

  function release(slot: Slot, weight: number): void {
    slot.inFlight -= weight
    for (let waiter = queue[head]; waiter; waiter = queue[head]) {
      const free = acquire(waiter.weight)
      if (!free) break
      head++
      waiter.grant(free)
    }
    if (head >= QUEUE_BLOCK || head === queue.length) {
      queue = queue.slice(head)
      head = 0
    }
  }

  async function withConnection<T>(
    weight: number,
    run: (connection: Connection) => PromiseLike<T>
  ): Promise<T> {
    const isQueueEmpty = head === queue.length
    const wait = () => new Promise<Slot>((grant) => queue.push({ weight, grant }))
    const slot = (isQueueEmpty ? acquire(weight) : undefined) ?? (await timed('connection', wait))
    try {
      if (isEnded) throw Object.assign(new Error('The pool is closed.'), { code: 'CONNECTION_ENDED' })
      return await run(slot.connection)
    } finally {
      release(slot, weight)
    }
  }

  function closeIdle(): void {
    for (const slot of slots) {
      if (slot.connection.state !== 'new' && slot.inFlight === 0 && !slot.wasUsed) void recycle(slot)
      slot.wasUsed = false
    }
  }

  return {
    options: { parsers: {}, serializers: {} },
    unsafe: preparedQueries((query) => withConnection(1, (connection) => connection.execute(query))),
    begin: (run) => withConnection(maxInFlight, (connection) => connection.begin(run)),
    usage() {
      const used = slots.filter(({ inFlight }) => inFlight > 0).length
      const idle = slots.filter(
        ({ connection, inFlight }) => inFlight === 0 && connection.state !== 'new'
      ).length
      return { used, idle, waiting: queue.length - head }
    },
    async end() {
      isEnded = true
      clearInterval(idleTimer)
      await Promise.all(slots.map(({ connection }) => connection.end()))
    }
  }
}

const isWornOut = ({ connection: { state } }: Slot) => state === 'worn' || state === 'lost'
