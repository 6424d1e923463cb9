import type {
  FastifyInstance,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  onSendAsyncHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  preParsingHookHandler,
  preValidationHookHandler
} from 'fastify'
import type { Audit } from './audit/audit.js'
import { recordRequest } from './audit/record-request.js'
import { addBodySubjects } from './platform/auth/audit-rule.js'
import {
  type Authenticate,
  type AuthorizeOptions,
  authorize,
  identifyCaller
} from './platform/auth/authorize.js'
import type { RateLimitCheck } from './platform/auth/rate-limit.js'
import { parseJson } from './platform/rest/json-body-parser.js'
import { checkBody, checkBodySlot } from './platform/server/check-body.js'
import { checkHead } from './platform/server/check-head.js'
import { closeAtShutdown, limitConnections } from './platform/server/connections.js'
import { limitUnread, shedLoad } from './platform/server/overload.js'
import { logRequest } from './platform/server/request-log.js'
import { beginRequest } from './platform/server/request-state.js'
import { addSecurityHeaders, allowOrigins } from './platform/server/security-headers.js'
import { enterTimings } from './platform/telemetry/request-timings.js'
import { enterSpan, startSpan } from './platform/telemetry/spans.js'
import type { Limits } from './settings/config.js'

/** The dependencies of the steps. Each step uses some of them. */
export interface PipelineOptions extends AuthorizeOptions {
  limits: Limits
  corsOrigins: readonly string[]
  /** Whether the server responds at this value of a `Host` header. Default: at each. */
  isServedHost?: ((host: string) => boolean) | undefined
  authenticate: Authenticate
  limit: RateLimitCheck
  audit: Audit
  exportsSpans: boolean
}

/**
 * Makes a hook of Fastify, which passes the request or throws a problem, or lets a library add one.
 */
type Step<Hook> = (app: FastifyInstance, options: PipelineOptions) => Hook | undefined | Promise<void>

export interface Pipeline {
  onRequest: Step<onRequestHookHandler | onRequestAsyncHookHandler>[]
  preParsing: Step<preParsingHookHandler>[]
  preValidation: Step<preValidationHookHandler>[]
  preHandler: Step<preHandlerHookHandler>[]
  onSend: Step<onSendHookHandler | onSendAsyncHookHandler>[]
}

/**
 * The steps in sequence, with the reason of each position. A step that throws a problem, or a body
 * that Fastify finds invalid, skips the following steps up to `onSend`, and the error handler
 * responds.
 */
export const pipeline: Pipeline = {
  /** The head has arrived, not the body. */
  onRequest: [
    // First: all other steps may read `request.state`, and the time of the request begins.
    beginRequest,
    // Before each step that rejects, so that error responses also have the headers.
    addSecurityHeaders,
    // Before `shedLoad`: a client that sends too many requests ahead gets no response, also under
    // load. The step closes the connection, so no further step runs, and the log has no line.
    limitConnections,
    // Before `logRequest`: under load a rejected request writes no log line.
    shedLoad,
    // Before all further steps that reject, so that the log and the metrics have these requests.
    logRequest,
    // Before the responses of `allowOrigins` and `checkHead`, so that these requests also have a
    // span.
    startSpan,
    // Before `checkHead`: a web page can read why its request is rejected.
    allowOrigins,
    // Before the token: these rules apply to each caller, and an unknown URL needs no token.
    checkHead,
    // Before the access rule, which needs the caller. Counts the request for the rate limit, and
    // begins the audit record, so that later rejections are recorded.
    identifyCaller,
    // Last, and before the body, so that no body is read for a caller without access.
    authorize
  ],
  /** Access is granted, the body has not been read. */
  preParsing: [
    // First: an overloaded server does not examine a large body. A slot is the right to be one of
    // a limited number of expensive requests.
    checkBodySlot,
    // Before the parser, which expects UTF-8 without a content coding.
    checkBody,
    // Adds the parser, which reads the body after all steps above.
    parseJson
  ],
  /** The body is parsed. Fastify validates it next. */
  preValidation: [
    // The span and the timings are in an AsyncLocalStorage, which the events of a body do not keep.
    enterSpan,
    enterTimings
  ],
  /** The request is valid. The handler of the route follows, in `untilDeadline`. */
  preHandler: [
    // Only a valid body names subjects, and the audit record contains them even if the handler
    // fails.
    addBodySubjects
  ],
  /** The response is serialized. */
  onSend: [
    // Anywhere: adds a header, which `recordRequest` keeps when it replaces the response.
    closeAtShutdown,
    // Before `recordRequest`: the time and the memory of a response count while it is recorded.
    limitUnread,
    // Last of these steps: replaces the response if its audit record cannot be written. Routes with
    // an `ETag` add `tagResponse` after it, which may send 304 instead.
    recordRequest
  ]
}

/** Adds the steps of the pipeline to all routes that are registered later. */
export async function addPipeline(app: FastifyInstance, options: PipelineOptions): Promise<void> {
  for (const [name, steps] of Object.entries(pipeline) as [keyof Pipeline, Step<onRequestHookHandler>[]][])
    for (const step of steps) {
      const hook = await step(app, options)
      // The names of hooks have different types, which a loop cannot tell apart.
      if (hook) app.addHook(name as 'onRequest', hook)
    }
}
