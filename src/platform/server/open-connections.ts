import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  /** Requests whose response is not complete. */
  inFlight: number
  /** The response to the latest request. Undefined before the first request. */
  latest?: ServerResponse
  latestId?: string
}

export type OpenConnections = ReturnType<typeof trackConnections>

const bySocket = new WeakMap<Socket, Connection>()

/** An open connection. Undefined in a test without a network. */
export const connectionOf = (socket: Socket): Connection | undefined => bySocket.get(socket)

/**
 * Tracks the connections of a server. Once it is closed, also closes them as they become idle:
 * Node's list of idle connections omits connections without a request so far.
 */
export function trackConnections(server: Server) {
  const open = new Map<Socket, Connection>()
  let arrivals = 0

  server.on('connection', (socket: Socket) => {
    arrivals++
    // The connection was accepted before the server closed.
    if (!server.listening) return void socket.destroy()
    const connection = { inFlight: 0 }
    bySocket.set(socket, connection)
    open.set(socket, connection)
    socket.once('close', () => open.delete(socket))
  })
  server.prependListener('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    arrivals++
    const connection = open.get(socket)
    if (!connection) return
    connection.inFlight++
    connection.latest = response
    response.once('close', () => {
      connection.inFlight--
      // The response may have been sent before it could contain `connection: close`.
      if (!server.listening && connection.inFlight === 0) socket.destroySoon()
    })
  })
  return {
    /** The number of connections and requests that have arrived. */
    get arrivals() {
      return arrivals
    },
    /** Whether a connection has brought no request so far. */
    hasUnused: () => [...open.values()].some(({ latest }) => !latest),
    closeIdle() {
      for (const [socket, { inFlight }] of open) if (inFlight === 0) socket.destroy()
    }
  }
}
