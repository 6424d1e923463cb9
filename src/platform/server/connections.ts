import type { FastifyInstance, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { connectionOf, type OpenConnections, trackConnections } from './open-connections.js'

/**
 * Maximum requests in flight of a connection. Each request takes a hundred times its bytes of
 * memory.
 */
const MAX_PIPELINED = 100

/**
 * Closes the connection of a client that sends too many requests ahead and, during a shutdown
 * (`app.shutDown`), the connection of a read. Node closes slow and idle connections.
 */
export function limitConnections(app: FastifyInstance): onRequestHookHandler {
  const shutdown = gracefulShutdown(app, trackConnections(app.server))
  // By default Node sends 417 without a body. `checkHead` rejects an unknown `Expect`.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return ({ id, method, raw: { socket } }, _reply, done) => {
    const connection = connectionOf(socket)
    if (connection) connection.latestId = id
    if ((connection?.inFlight ?? 0) > MAX_PIPELINED || shutdown.isDropped(method)) socket.destroy()
    else done()
  }
}

/**
 * Closes connections after their responses during a shutdown. Idle connections are closed at its
 * end.
 */
export const closeAtShutdown =
  (app: FastifyInstance): onSendHookHandler =>
  (_request, reply, payload, done) => {
    // A proxy then has no connection that closes while the proxy sends a request.
    if (app.isShuttingDown) reply.header('connection', 'close')
    done(null, payload)
  }

export interface ShutdownOptions {
  /** Milliseconds for which all requests are still served, while readiness probes get 503. */
  delayMs: number
  /** Milliseconds for requests that are in flight after this delay. */
  timeoutMs: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a load balancer should send no more requests. */
    readonly isShuttingDown: boolean
    /** Waits until load balancers have noticed the shutdown, then for requests in flight. */
    shutDown(options: ShutdownOptions): Promise<void>
  }
}

/** The pause in milliseconds between two checks for new connections. */
const TURN_MS = 25

/**
 * Checks without an arrival before the server closes, a second in all: a busy proxy takes a moment
 * to send a request on the connection that it has chosen.
 */
const QUIET_TURNS = 40

/** Maximum milliseconds of the wait for the end of new connections. */
const MAX_QUIET_WAIT_MS = 3000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves when the event loop has accepted the connections and read the requests that wait. */
const eventsHandled = () => new Promise(setImmediate)

async function pauseForArrivals(): Promise<void> {
  await pause(TURN_MS)
  await eventsHandled()
}

/**
 * Adds `app.isShuttingDown` and `app.shutDown`. `isDropped` tells whether to close the connection
 * of a request with this method instead of a response.
 */
export function gracefulShutdown(
  app: FastifyInstance,
  connections: OpenConnections
): { isDropped(method: string): boolean } {
  let phase: 'serving' | 'announcing' | 'withdrawing' = 'serving'

  app.decorate('isShuttingDown', { getter: () => phase !== 'serving' })
  app.decorate('shutDown', async ({ delayMs, timeoutMs }: ShutdownOptions) => {
    phase = 'announcing'
    if (delayMs > 0) {
      await pause(delayMs)
      phase = 'withdrawing'
      await untilQuiet(connections)
      await untilAccepted(connections)
    }
    // `app.close` would accept connections for a little longer.
    const closed = new Promise((resolve) => app.server.close(resolve))
    if (delayMs > 0) await untilUsed(connections)
    connections.closeIdle()
    const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
    await closed
    clearTimeout(timer)
    await app.close()
  })
  return {
    // A proxy without health checks learns of the shutdown from a failure. A proxy repeats a failed
    // read on another instance, but not a failed write.
    isDropped: (method) => phase === 'withdrawing' && (method === 'GET' || method === 'HEAD')
  }
}

/**
 * Resolves when no connections and requests arrive any more: closing the server resets connections
 * that it has not accepted yet, or whose first request is about to arrive.
 */
async function untilQuiet(connections: OpenConnections): Promise<void> {
  const end = performance.now() + MAX_QUIET_WAIT_MS
  // Counts turns of the event loop instead of time, because a process that did not run has accepted
  // no connections.
  for (let quietTurns = 0; quietTurns < QUIET_TURNS && performance.now() < end; ) {
    const before = connections.arrivals
    await pauseForArrivals()
    quietTurns = connections.arrivals === before && !connections.hasUnused() ? quietTurns + 1 : 0
  }
}

/** Milliseconds to accept connections and close the port, if nothing else happens. */
const IDLE_MS = 1

/**
 * Resolves when connections have just been accepted and no other work has taken time, after 100 ms
 * at the latest. A connection that arrives during such work would be reset with the port.
 */
async function untilAccepted(connections: OpenConnections): Promise<void> {
  const end = performance.now() + 100
  for (let start = performance.now(); start < end; start = performance.now()) {
    const before = connections.arrivals
    await eventsHandled()
    if (connections.arrivals === before && performance.now() - start < IDLE_MS) return
  }
}

/**
 * Resolves when each connection has brought a request, after a second at the latest. A proxy may
 * have opened a connection for a write that it has not sent yet.
 */
async function untilUsed(connections: OpenConnections): Promise<void> {
  for (let turns = 0; turns < QUIET_TURNS && connections.hasUnused(); turns++) await pauseForArrivals()
}
