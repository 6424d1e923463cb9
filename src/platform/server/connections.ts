import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { gracefulShutdown } from './graceful-shutdown.js'
import { connectionOf, trackConnections } from './open-connections.js'
import { type SlowReaderOptions, watchReaders } from './slow-readers.js'

/** Maximum requests in flight of a connection. Each takes a hundred times its bytes of memory. */
const MAX_PIPELINED = 100

/**
 * Rules for connections:
 * - A client that sends too many requests ahead loses the connection.
 * - A client that does not read its response loses the connection ({@link watchReaders}).
 * - An unknown `Expect` is refused by `httpRules`, with a body.
 * - A shutdown drops reads and closes connections (`app.shutDown`).
 *
 * Node cuts requests that take longer than `requestTimeout` to arrive, and idle connections.
 */
export const connections = fp<SlowReaderOptions>(
  async (app: FastifyInstance, options) => {
    const shutdown = gracefulShutdown(app, trackConnections(app.server))
    const watchReader = watchReaders(app.log, options)
    // By default Node sends 417 without a body.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
    app.addHook('onRequest', ({ id, method, raw: { socket } }, _reply, done) => {
      const connection = connectionOf(socket)
      if (connection) connection.latestId = id
      if ((connection?.inFlight ?? 0) > MAX_PIPELINED || shutdown.isDropped(method)) socket.destroy()
      else done()
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      watchReader(reply, payload)
      // Proxies have no connection left when the idle ones are closed.
      if (app.isShuttingDown) reply.header('connection', 'close')
      done(null, payload)
    })
  },
  { name: 'connections' }
)
