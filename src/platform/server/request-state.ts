import type { Context } from '@opentelemetry/api'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { AuditContext } from '../auth/audit-context.js'
import type { Call } from '../auth/call.js'
import { Deadline } from '../concurrency/deadline.js'
import type { Timings } from '../telemetry/request-timings.js'
import type { TakenSlots } from './check-body.js'

/** The state of a request that the steps of the pipeline and the handler determine. */
export class RequestState {
  /** The time of the request begins with its first step. */
  readonly deadline: Deadline
  /** The caller and its scope. Set on every route that is not public. */
  call!: Call
  /** Subjects for the audit record. Set once the caller is known, even if the call is rejected. */
  auditContext: AuditContext | null = null
  /** The span of the request in the trace of its caller. Null unless spans are exported. */
  traceContext: Context | null = null
  /** The waiting times of the request. Null unless they are logged. */
  timings: Timings | null = null
  /** Slots of the request's body. Null without a body that may be large. */
  taken: TakenSlots | null = null
  /** SHA-256 of the bytes of a JSON body, of a POST with an `Idempotency-Key`. */
  bodyDigest: Buffer | null = null
  /** Revision of the resource in the response. Null for lists. */
  revision: string | null = null
  /** Code of the problem in the response. Null for a success. */
  problemCode: string | null = null

  constructor(requestTimeout: number) {
    this.deadline = new Deadline(requestTimeout)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
}

export function beginRequest(
  app: FastifyInstance,
  { limits: { requestTimeout } }: { limits: { requestTimeout: number } }
): onRequestHookHandler {
  app.decorateRequest('state')
  return (request, _reply, done) => {
    request.state = new RequestState(requestTimeout)
    done()
  }
}
