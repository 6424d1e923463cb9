import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A request and its response on a connection. */
export interface Exchange {
  /** Undefined once the response has been sent, or its connection has closed. */
  request: FastifyRequest | undefined
  incoming: IncomingMessage
  response: ServerResponse
  /** Shared by all requests on the connection. */
  queue: { waiting: number }
}

const exchanges = new WeakMap<Socket, Exchange>()

/** The latest exchange on a connection. Undefined before the first request. */
export const lastExchange = (socket: Socket): Exchange | undefined => exchanges.get(socket)

/** Registers the latest exchange of a connection. Returns the previous one. */
export function beginExchange(request: FastifyRequest, reply: FastifyReply): Exchange | undefined {
  const { raw: incoming } = request
  const previous = exchanges.get(incoming.socket)
  const queue = previous?.queue ?? { waiting: 0 }
  const exchange: Exchange = { request, incoming, response: reply.raw, queue }
  exchanges.set(incoming.socket, exchange)
  reply.raw.once('close', () => {
    exchange.request = undefined
  })
  return previous
}

/**
 * Runs `next` after the response of an exchange has been sent. Drops `next` when the connection has
 * ended: after a response with `connection: close` no request is processed (RFC 9112, section 9.6).
 */
export function afterResponse({ request, incoming, response }: Exchange, next: () => void): void {
  const { socket } = incoming
  const proceed = () => {
    if (socket.writable) next()
  }
  if (request === undefined) proceed()
  else response.once('close', proceed)
}
