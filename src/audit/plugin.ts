import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isAboutPatients } from '../platform/auth/access.js'
import type { AuditContext } from '../platform/auth/audit-context.js'
import { type Problem, problem } from '../platform/errors/problem.js'
import { redactError } from '../platform/errors/redact-error.js'
import { logLine } from '../platform/logging/log-line.js'
import { outcomeUnknown } from '../platform/server/deadline.js'
import { problemBody } from '../platform/server/error-handler.js'
import type { Audit } from './audit.js'

/**
 * Leaves a record of each request on patients' data by a known caller, refused ones too, before it is answered: what cannot be
 * recorded is not answered. A write that recorded itself is not recorded again.
 */
export const auditing = fp<{ audit: Audit }>(
  async (app: FastifyInstance, { audit }) => {
    // Records of writes whose end nobody waited for; the database is not left before they are written.
    const late = new Set<Promise<void>>()
    app.addHook('onClose', async () => {
      await Promise.all(late)
    })
    app.addHook('onRoute', ({ schema, config }) => {
      const { operationId } = (schema ?? {}) as { operationId?: string }
      if (config?.audit?.lookUp && operationId !== undefined) audit.lookUpOperations.add(operationId)
    })
    app.addHook('onSend', async (request, reply, payload) => {
      const { auditContext, deadline } = request
      if (!auditContext || !isAboutPatients(request)) return payload
      const record = async () => {
        await lookUp(request, auditContext)
        await audit.record(auditContext, reply.problemCode)
      }
      // Who waited too long is told so at once; what became of the write decides which record there will be.
      if (deadline.isExceeded && deadline.mayHaveWritten) {
        const writing = unlessRecorded(auditContext, record)
          .catch((cause) => complain(request, cause))
          .finally(() => late.delete(writing))
        late.add(writing)
        return payload
      }
      try {
        await (deadline.isExceeded ? record() : unlessRecorded(auditContext, record))
        return payload
      } catch (cause) {
        complain(request, cause)
        return refuse(request, reply, deadline.mayHaveWritten ? outcomeUnknown() : unrecorded())
      }
    })
  },
  { name: 'audit', dependencies: ['access-control', 'error-handler'] }
)

async function unlessRecorded(trail: AuditContext, record: () => Promise<void>): Promise<void> {
  if (!(await trail.recorded)) await record()
}

/** Adds the orders to which the address leads, where the use case found nothing for the caller. */
async function lookUp({ routeOptions, params, query }: FastifyRequest, trail: AuditContext): Promise<void> {
  if (trail.subjects.every(({ patient }) => patient === null))
    trail.addSubjects(await routeOptions.config.audit?.lookUp?.({ params, query }))
}

const unrecorded = () =>
  problem(
    'database-unavailable',
    'The request cannot be recorded in the audit record, so it is not answered. Nothing was changed. Try again later.',
    { headers: { 'retry-after': '5' } }
  )

/** Turns an answer into the refusal to give it. */
function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Problem): string {
  for (const name of ['location', 'link', 'etag', 'content-length']) reply.removeHeader(name)
  reply.code(refusal.status).headers(refusal.headers).type('application/json')
  return JSON.stringify(problemBody(refusal, request.id))
}

function complain(request: FastifyRequest, cause: unknown): void {
  request.log.error(
    logLine('The audit record cannot be written', {
      code: 'database-unavailable',
      cause: redactError(cause)
    })
  )
}
