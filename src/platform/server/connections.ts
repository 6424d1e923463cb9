import type { FastifyInstance, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { gracefulShutdown } from './graceful-shutdown.js'
import { connectionOf, trackConnections } from './open-connections.js'

/** Maximum requests in flight of a connection. Each takes a hundred times its bytes of memory. */
const MAX_PIPELINED = 100

/**
 * Closes the connection of a client that sends too many requests ahead, and during a shutdown
 * (`app.shutDown`) that of a read. Node closes those whose requests take longer than
 * `requestTimeout` to arrive, and idle ones.
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

/** Closes connections after their responses during a shutdown. Idle ones are closed at its end. */
export const closeAtShutdown =
  (app: FastifyInstance): onSendHookHandler =>
  (_request, reply, payload, done) => {
    // A proxy then has no connection left that is closed while it sends a request.
    if (app.isShuttingDown) reply.header('connection', 'close')
    done(null, payload)
  }
