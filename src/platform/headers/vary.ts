import type { FastifyReply } from 'fastify'

/** Adds a request header to `Vary`: the response depends on it. */
export function addVary(reply: FastifyReply, name: string): void {
  const known = [reply.getHeader('vary') ?? []].flat().join(', ').split(', ').filter(Boolean)
  if (!known.some((each) => each.toLowerCase() === name.toLowerCase()))
    reply.header('vary', [...known, name].join(', '))
}
