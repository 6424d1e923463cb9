import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { refuseConnect } from './client-error.js'
import { afterResponse, beginExchange, lastExchange } from './exchanges.js'
import { closeLingering } from './lingering-close.js'

/** Requests of a connection that wait for the responses before theirs. */
const MAX_PIPELINED = 100

/**
 * Rules for connections: pipelined requests are processed one at a time, in order; a client that ends its side after its request still
 * gets the response; a response before the end of a request's body closes the connection, so that no byte of the body is taken for a
 * request; `Expect` and CONNECT get responses with a body.
 */
export const connections = fp<{ requestTimeout: number }>(
  async (app: FastifyInstance, { requestTimeout }) => {
    const server = app.server as Server & { httpAllowHalfOpen: boolean }
    server.httpAllowHalfOpen = true
    // Node would write 100 at once, and 417 without a body.
    for (const event of ['checkContinue', 'checkExpectation'])
      server.on(event, (request, response) => server.emit('request', request, response))
    server.on('connect', (_request, socket: Socket) => refuseConnect(app, socket, requestTimeout))
    // The deadline of a request ends it, not the silence on its connection.
    server.on('timeout', (socket) => {
      if (lastExchange(socket)?.request === undefined) socket.destroy()
    })
    server.on('connection', (socket: Socket) => {
      const { destroySoon } = socket
      // Node calls it after the last response on a connection.
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
      // Each costs a hundred times its bytes, and none has had a response.
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
      // The body may be in the bytes that are being parsed just now.
      if (raw.complete === false) setImmediate(close)
      else close()
    })
  },
  { name: 'connections' }
)
