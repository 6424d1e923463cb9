import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { refuseConnect } from './client-error.js'
import { afterResponse, beginExchange, lastExchange } from './exchanges.js'
import { closeLingering } from './lingering-close.js'

/** Maximum requests of a connection that wait for earlier responses. */
const MAX_PIPELINED = 100

/**
 * Rules for connections:
 * - Pipelined requests are processed one at a time, in order.
 * - A client that ends its side after its request still gets the response.
 * - A response before the end of a request's body closes the connection, so that no byte of the
 *   body is parsed as a request.
 * - `Expect` and CONNECT get responses with a body.
 */
export const connectionRules = fp<{ requestTimeout: number }>(
  async (app: FastifyInstance, { requestTimeout }) => {
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
      if (!previous) return done()
      const { queue } = previous
      queue.waiting++
      // A waiting request takes a hundred times its bytes of memory.
      if (queue.waiting > MAX_PIPELINED) return void request.raw.socket.destroy()
      afterResponse(previous, () => {
        queue.waiting--
        done()
      })
    })
    app.addHook('onSend', (request, reply, payload, done) => {
      const { raw } = request
      const close = () => {
        if (raw.complete === false) reply.header('connection', 'close')
        done(null, payload)
      }
      // The body may be in the chunk that is being parsed.
      if (raw.complete === false) setImmediate(close)
      else close()
    })
  },
  { name: 'connection-rules' }
)
