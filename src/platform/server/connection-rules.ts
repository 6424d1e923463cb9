import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { refuseConnect } from './client-error.js'
import { afterResponse, beginExchange, lastExchange } from './exchanges.js'
import { closeLingering } from './lingering-close.js'
import { type SlowReaderOptions, watchReaders } from './slow-readers.js'

/** Maximum requests of a connection that wait for earlier responses. */
const MAX_PIPELINED = 100

/**
 * Rules for connections:
 * - Pipelined requests are processed one at a time, in order.
 * - A client that ends its side after its request still gets the response.
 * - A response before the end of a request's body closes the connection, so that no byte of the
 *   body is parsed as a request.
 * - `Expect` and CONNECT get responses with a body.
 * - A client that does not read its response loses the connection ({@link watchReaders}).
 * - A shutdown drops reads and closes connections (`app.shutDown`).
 */
export const connectionRules = fp<{ requestTimeout: number } & SlowReaderOptions>(
  async (app: FastifyInstance, { requestTimeout, ...reading }) => {
    const watchReader = watchReaders(app.log, reading)
    const server = app.server as Server & { httpAllowHalfOpen: boolean }
    server.httpAllowHalfOpen = true
    // By default Node sends 100 at once, and 417 without a body.
    for (const event of ['checkContinue', 'checkExpectation'])
      server.on(event, (request, response) => server.emit('request', request, response))
    server.on('connect', (_request, socket: Socket) => refuseConnect(app, socket, requestTimeout))
    // A request ends by its deadline, not by an idle connection.
    server.on('timeout', (socket) => {
      if (lastExchange(socket)?.request === undefined) socket.destroy()
    })
    server.on('connection', (socket: Socket) => {
      const { destroySoon } = socket
      // Node calls this after the last response on a connection.
      socket.destroySoon = () => {
        if (lastExchange(socket)?.incoming.complete === false) closeLingering(socket, requestTimeout)
        else destroySoon.call(socket)
      }
    })

    app.addHook('onRequest', (request, reply, done) => {
      const previous = beginExchange(request, reply)
      const begin = () => (app.isDropped(request.method) ? void request.raw.destroy() : done())
      if (!previous) return begin()
      const { queue } = previous
      queue.waiting++
      // A waiting request takes a hundred times its bytes of memory.
      if (queue.waiting > MAX_PIPELINED) return void request.raw.socket.destroy()
      afterResponse(previous, () => {
        queue.waiting--
        begin()
      })
    })
    app.addHook('onSend', (request, reply, payload, done) => {
      const { raw } = request
      watchReader(reply, payload)
      const close = () => {
        // During a shutdown, so that proxies have no connection left when the idle ones are closed.
        if (raw.complete === false || app.isShuttingDown) reply.header('connection', 'close')
        done(null, payload)
      }
      // The body may be in the chunk that is being parsed.
      if (raw.complete === false) setImmediate(close)
      else close()
    })
  },
  { name: 'connection-rules', dependencies: ['graceful-shutdown'] }
)
