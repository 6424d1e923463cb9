import type { FastifyReply } from 'fastify'

/** Adds a request header to `Vary`: the response depends on it. */
export function addVary(reply: FastifyReply, name: string): void {
  const known = reply.getHeader('vary')
  reply.header('vary', known === undefined ? name : `${[known].flat().join(', ')}, ${name}`)
}
