import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Stops accepting connections, closes idle ones and waits for requests in flight, at most
     * `timeoutMs` milliseconds.
     */
    shutDown(timeoutMs: number): Promise<void>
  }
}

/** Adds `app.shutDown`. */
export const gracefulShutdown = fp(
  async (app: FastifyInstance) => {
    const idle = new Set<Socket>()
    let isClosing = false
    trackIdle(app.server, idle)

    app.addHook('onSend', (_request, reply, payload, done) => {
      if (isClosing) reply.header('connection', 'close')
      done(null, payload)
    })
    app.decorate('shutDown', async (timeoutMs: number) => {
      isClosing = true
      const closed = app.close()
      for (const socket of idle) socket.destroy()
      const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
      await closed
      clearTimeout(timer)
    })
  },
  { name: 'graceful-shutdown' }
)

/** Tracks the connections without a request in flight. Node's list omits unused connections. */
function trackIdle(server: Server, idle: Set<Socket>): void {
  server.on('connection', (socket: Socket) => {
    idle.add(socket)
    socket.once('close', () => idle.delete(socket))
  })
  server.on('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    idle.delete(socket)
    response.once('close', () => socket.destroyed || idle.add(socket))
  })
}
