import { openConnection, type PooledConnection, type PooledConnectionOptions } from './connection.js'
import { createHostList } from './open-client.js'
import { createPendingQuery, type DrizzleClient } from './query.js'

export interface PoolOptions extends PooledConnectionOptions {
  /** An unused connection is closed after one to two times this many ms. Default: 60,000. */
  idleTimeoutMs?: number
  /** Queries in flight on one connection. More than one saves writes to its socket. Default: 4. */
  maxInFlight?: number
}

/** Holds at most one connection. */
interface Slot {
  connection: PooledConnection | undefined
  /** Queries in flight. A transaction counts as `maxInFlight`. */
  inFlight: number
  wasUsed: boolean
}

/** A lease: the query goes to this connection even if the slot is recycled meanwhile. */
interface Lease {
  slot: Slot
  connection: PooledConnection
}

interface Waiter {
  weight: number
  grant: (lease: Lease) => void
}

/** How many connections of a pool are in use, and how many queries wait for one. */
export interface PoolUsage {
  used: number
  idle: number
  waiting: number
}

export interface Pool extends DrizzleClient {
  usage(): PoolUsage
}

/** Served waiters are removed from the queue in blocks of this many. */
const QUEUE_BLOCK = 1024

/**
 * Creates a connection pool. Each connection takes a few queries in sequence, or one transaction;
 * others wait in a queue. Connections open on demand.
 *
 * The pool of postgres.js searches a list that grows as long as it is never idle: after a million
 * queries it spends several times as long on each. A client with one connection has no such list.
 */
export function createPool(
  url: string,
  maxConnections: number,
  { idleTimeoutMs = 60_000, maxInFlight = 4, ...options }: PoolOptions
): Pool {
  const slots = Array.from(
    { length: maxConnections },
    (): Slot => ({ connection: undefined, inFlight: 0, wasUsed: false })
  )
  const hosts = createHostList(url)
  const idleTimer = setInterval(closeIdle, idleTimeoutMs).unref()
  let isEnded = false
  let queue: Waiter[] = []
  let head = 0

  /**
   * Leases the least used slot. Recycles slots with a worn-out connection and no query in flight.
   */
  function acquire(weight: number): Lease | undefined {
    let least: Slot | undefined
    for (const slot of slots) {
      if (slot.inFlight === 0 && isWornOut(slot)) void recycle(slot)
      if (slot.inFlight < (least?.inFlight ?? maxInFlight) && !isWornOut(slot)) least = slot
    }
    if (!least || least.inFlight + weight > maxInFlight) return undefined
    least.inFlight += weight
    least.wasUsed = true
    least.connection ??= openConnection(url, options, hosts)
    return { slot: least, connection: least.connection }
  }

  /** Closes the connection before the slot opens another: there are never more than the maximum. */
  async function recycle(slot: Slot): Promise<void> {
    slot.inFlight = maxInFlight
    await closeConnection(slot)
    release(slot, maxInFlight)
  }

  function release(slot: Slot, weight: number): void {
    slot.inFlight -= weight
    for (let waiter = queue[head]; waiter; waiter = queue[head]) {
      const lease = acquire(waiter.weight)
      if (!lease) break
      head++
      waiter.grant(lease)
    }
    if (head >= QUEUE_BLOCK || head === queue.length) {
      queue = queue.slice(head)
      head = 0
    }
  }

  async function withConnection<T>(
    weight: number,
    run: (connection: PooledConnection) => PromiseLike<T>
  ): Promise<T> {
    const isQueueEmpty = head === queue.length
    const { slot, connection } =
      (isQueueEmpty ? acquire(weight) : undefined) ??
      (await new Promise<Lease>((grant) => queue.push({ weight, grant })))
    try {
      if (isEnded) throw Object.assign(new Error('The pool is closed.'), { code: 'CONNECTION_ENDED' })
      return await run(connection)
    } finally {
      release(slot, weight)
    }
  }

  function closeIdle(): void {
    for (const slot of slots) {
      if (slot.connection && slot.inFlight === 0 && !slot.wasUsed) void recycle(slot)
      slot.wasUsed = false
    }
  }

  return {
    options: { parsers: {}, serializers: {} },
    unsafe: (...query) =>
      createPendingQuery((task) => withConnection(1, (connection) => connection.execute(task)), query),
    begin: (run) => withConnection(maxInFlight, (connection) => connection.begin(run)),
    usage() {
      const used = slots.filter(({ inFlight }) => inFlight > 0).length
      const idle = slots.filter(({ connection, inFlight }) => connection && inFlight === 0).length
      return { used, idle, waiting: queue.length - head }
    },
    async end() {
      isEnded = true
      clearInterval(idleTimer)
      await Promise.all(slots.map(closeConnection))
    }
  }
}

const isWornOut = ({ connection }: Slot) =>
  connection !== undefined && (connection.isClosed || connection.isStatementCacheFull)

async function closeConnection(slot: Slot): Promise<void> {
  await slot.connection?.end()
  slot.connection = undefined
}
