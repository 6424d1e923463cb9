import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import { isOnPatients } from '../platform/auth/access-rule.js'
import type { AuditContext } from '../platform/auth/audit-context.js'
import { outcomeUnknown } from '../platform/concurrency/deadline.js'
import { type Problem, problemsOf } from '../platform/errors/problem.js'
import { redactError } from '../platform/errors/redact-error.js'
import { logLine } from '../platform/logging/log-line.js'
import { toProblem } from '../platform/server/error-handler.js'
import { standardHeaders } from '../platform/server/security-headers.js'
import type { Audit } from './audit.js'
import { auditProblems } from './texts.js'

const auditProblem = problemsOf(auditProblems)

/**
 * Records each request on patients' data by a known caller, including rejected requests. No
 * response about patients may be stored.
 *
 * | request | record | response |
 * |---|---|---|
 * | by an unknown caller | none | unchanged |
 * | that ended in time | before the response, unless its statement committed one | unchanged |
 * | late, without a write | before the response | 503 `busy` |
 * | late, while a statement may commit one | afterwards, unless it did | 503 `busy` |
 * | late, with a write | afterwards, unless it committed its own | 503 `outcome-unknown` |
 * | that cannot be recorded | none | 503, if it may have written `outcome-unknown` |
 */
export function recordRequest(
  app: FastifyInstance,
  { audit }: { audit: Pick<Audit, 'record' | 'lookUpOperations'> }
): onSendAsyncHookHandler {
  // Records of requests that outlived their deadline. The server waits for them before it closes.
  const late = new Set<Promise<void>>()
  app.addHook('onClose', async () => void (await Promise.all(late)))
  app.addHook('onRoute', ({ schema, config }) => {
    const { operationId } = (schema ?? {}) as { operationId?: string }
    if (config?.audit?.lookUp && operationId !== undefined) audit.lookUpOperations.add(operationId)
  })
  return async (request, reply, payload) => {
    const { auditContext, deadline } = request.state
    if (!isAboutPatients(request)) return payload
    reply.header('cache-control', 'no-store')
    if (!auditContext) return payload
    const record = async () => {
      await addLookedUpOrders(request, auditContext)
      await audit.record(auditContext, request.state.problemCode)
    }
    // The deadline has passed: respond at once, and write the record when the outcome of the commit
    // is known.
    if (deadline.isExceeded && (deadline.mayHaveWritten || auditContext.recorded)) {
      const writing = unlessRecorded(auditContext, record)
        .catch((cause) => logFailure(request, request.state.problemCode, cause))
        .finally(() => late.delete(writing))
      late.add(writing)
      return payload
    }
    try {
      await unlessRecorded(auditContext, record)
      // The handler, which continues, may meanwhile have set a status and headers.
      return deadline.exceeded ? replaceResponse(request, reply, deadline.exceeded) : payload
    } catch (cause) {
      const instead = deadline.mayHaveWritten
        ? outcomeUnknown()
        : auditProblem('database-unavailable.notRecorded')
      logFailure(request, instead.code, cause)
      return replaceResponse(request, reply, instead)
    }
  }
}

/** Whether a request concerns patients: by its route, or because it names one. */
const isAboutPatients = ({ routeOptions, state: { auditContext } }: FastifyRequest): boolean =>
  isOnPatients(routeOptions.config.access) || (auditContext?.subjects.length ?? 0) > 0

async function unlessRecorded(auditContext: AuditContext, record: () => Promise<void>): Promise<void> {
  if (!(await auditContext.recorded)) await record()
}

/**
 * Adds the orders behind the ids of the request if the use case found no patient for the caller.
 */
async function addLookedUpOrders(
  { routeOptions, params, query, body }: FastifyRequest,
  auditContext: AuditContext
): Promise<void> {
  if (auditContext.subjects.every(({ patient }) => patient === null))
    auditContext.addSubjects(await routeOptions.config.audit?.lookUp?.({ params, query, body }))
}

/** Headers that do not depend on the original response. */
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  ...Object.keys(standardHeaders),
  ...['access-control-allow-origin', 'access-control-expose-headers', 'cache-control', 'connection'],
  ...['ratelimit', 'ratelimit-policy', 'vary', 'x-request-id']
])

function replaceResponse(request: FastifyRequest, reply: FastifyReply, instead: Problem): string {
  for (const name of Object.keys(reply.getHeaders())) if (!KEPT_HEADERS.has(name)) reply.removeHeader(name)
  return JSON.stringify(toProblem(request, reply, instead))
}

function logFailure(request: FastifyRequest, code: string | null, cause: unknown): void {
  request.log.error(logLine('Cannot write the audit record', { code, cause: redactError(cause) }))
}
