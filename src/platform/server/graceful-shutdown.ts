import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** Closes the server: takes nothing new, finishes the requests under way, and waits for nobody who asks for nothing. */
    shutDown(patience: number): Promise<void>
  }
}

/** Lets the server be closed at once where no request is under way, and otherwise after the last one's answer. */
export const gracefulShutdown = fp(
  async (app: FastifyInstance) => {
    const idle = new Set<Socket>()
    let closing = false
    watch(app.server, idle)

    app.addHook('onSend', async (_request, reply) => {
      if (closing) reply.header('connection', 'close')
    })
    app.decorate('drain', async (patience: number) => {
      closing = true
      const closed = app.close()
      for (const socket of idle) socket.destroy()
      const cut = setTimeout(() => app.server.closeAllConnections(), patience)
      await closed
      clearTimeout(cut)
    })
  },
  { name: 'draining' }
)

/** Keeps the set of the connections on which no request is under way. Node's own list leaves out those that never sent one. */
function watch(server: Server, idle: Set<Socket>): void {
  server.on('connection', (socket: Socket) => {
    idle.add(socket)
    socket.once('close', () => idle.delete(socket))
  })
  server.on('request', ({ socket }: { socket: Socket }, response: ServerResponse) => {
    idle.delete(socket)
    response.once('close', () => socket.destroyed || idle.add(socket))
  })
}
