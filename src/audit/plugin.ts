import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isAboutPatients } from '../platform/access.js'
import { problemBody } from '../platform/error-handler.js'
import { traceOf } from '../platform/error-trace.js'
import { problem } from '../platform/problem.js'
import { isId } from '../platform/reference.js'
import type { Audit } from './audit.js'

/**
 * Leaves a record of each request on patients' data by a known caller, refused ones too, before it is answered: what cannot be
 * recorded is not answered. A write that recorded itself is not recorded again.
 */
export const auditing = fp<{ audit: Audit }>(
  async (app: FastifyInstance, { audit }) => {
    app.addHook('onSend', async (request, reply, payload) => {
      const { trail } = request
      if (!trail || trail.isRecorded || !isAboutPatients(request)) return payload
      touchAsked(request)
      trail.isRecorded = true
      try {
        await audit.record(audit.rowOf(trail, reply.problemCode))
        return payload
      } catch (cause) {
        return unrecorded(request, reply, cause)
      }
    })
  },
  { name: 'audit', dependencies: ['access-control', 'error-handler'] }
)

/** What a request asked for is part of its record, whether or not it was there and was shown. */
function touchAsked({ trail, query, params, routeOptions }: FastifyRequest): void {
  const { patient } = query as { patient?: unknown }
  if (typeof patient === 'string') trail?.touch(patient)
  const { id } = (params ?? {}) as { id?: string }
  const { access } = routeOptions.config
  const isOrder = typeof access === 'object' && access.permission.startsWith('Order.')
  if (isOrder && id !== undefined && isId(id)) trail?.touch(null, id)
}

/** Turns an answer into the refusal to give it. */
function unrecorded(request: FastifyRequest, reply: FastifyReply, cause: unknown): string {
  const refusal = problem('database-unavailable', 'The audit record cannot be written. Try again later.', {
    headers: { 'retry-after': '5' }
  })
  request.log.error({ code: refusal.code, cause: traceOf(cause) }, 'The audit record cannot be written')
  for (const name of ['location', 'link', 'etag', 'content-length']) reply.removeHeader(name)
  reply.code(refusal.status).headers(refusal.headers).type('application/json')
  return JSON.stringify(problemBody(refusal, request.id))
}
