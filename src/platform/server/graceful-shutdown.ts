import type { FastifyInstance } from 'fastify'
import type { OpenConnections } from './open-connections.js'

export interface ShutdownOptions {
  /** For this many ms all requests are still answered, while readiness probes get 503. */
  delayMs: number
  /** Requests in flight after that get this many ms. */
  timeoutMs: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a load balancer should send no more requests. */
    readonly isShuttingDown: boolean
    /**
     * Waits until load balancers have noticed. Then stops accepting connections, closes idle ones
     * and waits for requests in flight.
     */
    shutDown(options: ShutdownOptions): Promise<void>
  }
}

/** The pause in ms between two looks for new connections. */
const TURN_MS = 25

/** The longest wait in ms for the end of new connections. */
const MAX_QUIET_WAIT_MS = 3000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Adds `app.isShuttingDown` and `app.shutDown`.
 * @returns `isDropped` tells whether to close the connection of a request with this method instead
 *   of a response.
 */
export function gracefulShutdown(
  app: FastifyInstance,
  connections: OpenConnections
): { isDropped(method: string): boolean } {
  let phase: 'serving' | 'announcing' | 'withdrawing' = 'serving'
  let hasDropped = false

  app.decorate('isShuttingDown', { getter: () => phase !== 'serving' })
  app.decorate('shutDown', async ({ delayMs, timeoutMs }: ShutdownOptions) => {
    phase = 'announcing'
    if (delayMs > 0) {
      await pause(delayMs)
      phase = 'withdrawing'
      await untilQuiet(connections, () => hasDropped)
    }
    // `app.close` would accept connections for a little longer.
    const closed = new Promise((resolve) => app.server.close(resolve))
    connections.closeIdle()
    const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
    await closed
    clearTimeout(timer)
    await app.close()
  })
  return {
    // A proxy without health checks learns of the shutdown from a failure. A read that fails is
    // repeated on another instance; a write would not be.
    isDropped(method) {
      const isDropped = phase === 'withdrawing' && (method === 'GET' || method === 'HEAD')
      hasDropped ||= isDropped
      return isDropped
    }
  }
}

/**
 * Resolves when no connections and requests arrive any more. Closing the server resets those that
 * it has not accepted yet, and those that are about to bring their first request.
 * @param isNoticed whether clients have noticed the shutdown.
 */
async function untilQuiet(connections: OpenConnections, isNoticed: () => boolean): Promise<void> {
  const end = performance.now() + MAX_QUIET_WAIT_MS
  // Turns of the event loop and not time: a process that did not run has not accepted anything.
  for (let quietTurns = 0; quietTurns < (isNoticed() ? 10 : 40) && performance.now() < end; ) {
    const before = connections.arrivals
    await pause(TURN_MS)
    await new Promise(setImmediate)
    quietTurns = connections.arrivals === before && !connections.hasUnused() ? quietTurns + 1 : 0
  }
}
