import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

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
export function gracefulShutdown(app: FastifyInstance): { isDropped(method: string): boolean } {
  let phase: 'serving' | 'announcing' | 'withdrawing' = 'serving'
  let hasDropped = false
  const idleSockets = trackIdleSockets(app.server)

  app.decorate('isShuttingDown', { getter: () => phase !== 'serving' })
  app.decorate('shutDown', async ({ delayMs, timeoutMs }: ShutdownOptions) => {
    phase = 'announcing'
    if (delayMs > 0) {
      const { untilQuiet } = watchTraffic(app.server)
      await pause(delayMs)
      phase = 'withdrawing'
      await untilQuiet(() => hasDropped)
    }
    // `app.close` would accept connections for a little longer.
    const closed = new Promise((resolve) => app.server.close(resolve))
    idleSockets.close()
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
 * Watches for connections and requests. Closing the server resets connections that it has not
 * accepted yet, and those that are about to bring their first request.
 */
function watchTraffic(server: Server) {
  const unused = new Set<Socket>()
  let quietTurns = 0
  server.on('connection', (socket: Socket) => {
    quietTurns = 0
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }: { socket: Socket }) => {
    quietTurns = 0
    unused.delete(socket)
  })
  /** Resolves right after the process has accepted what there is. */
  async function untilQuiet(isNoticed: () => boolean): Promise<void> {
    const end = performance.now() + MAX_QUIET_WAIT_MS
    while (quietTurns < (isNoticed() ? 10 : 40) && performance.now() < end) {
      // Turns of the event loop and not time: a process that did not run has not accepted anything.
      await pause(TURN_MS)
      quietTurns = unused.size === 0 ? quietTurns + 1 : 0
      await new Promise(setImmediate)
    }
  }
  return { untilQuiet }
}

/** Connections without a request in flight. Node's list omits unused connections. */
interface IdleSockets {
  /** Closes them, and others as soon as they become idle. */
  close(): void
}

/** Tracks the idle connections of a server. */
function trackIdleSockets(server: Server): IdleSockets {
  const idle = new Set<Socket>()
  let isClosing = false

  server.on('connection', (socket: Socket) => {
    // It was accepted before the server closed.
    if (isClosing) return void socket.destroy()
    idle.add(socket)
    socket.once('close', () => idle.delete(socket))
  })
  server.on('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    idle.delete(socket)
    response.once('close', () => {
      if (socket.destroyed) return
      // Its response may have been sent before it could say `connection: close`.
      if (isClosing) socket.destroySoon()
      else idle.add(socket)
    })
  })
  return {
    close() {
      isClosing = true
      for (const socket of idle) socket.destroy()
    }
  }
}
