import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { type FastifyHttpOptions, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { validate as isUuid } from 'uuid'
import { logMethod } from '../logging/log-line.js'
import { traceIdOf } from '../telemetry/spans.js'
import { refuseClientError } from './client-error.js'
import { sendProblem } from './error-handler.js'
import { RequestState } from './request-state.js'
import { standardHeaders } from './security-headers.js'
import { serverProblem } from './texts.js'

type Headers = Record<string, string | string[] | undefined>

export interface LogStream {
  write(line: string): void
}

interface ServerSettings {
  /** Maximum bytes of a body, and the timeout of a request in milliseconds. */
  limits: { body: number; requestTimeout: number }
  /** Whether `X-Forwarded-For` of the proxy in front of the service is trusted. */
  trustProxy: boolean
  logLevel: string
}

/** Options of Fastify: timeouts, limits, URLs, request ids, and a log without patient data. */
export function serverOptions({ limits, trustProxy, logLevel }: ServerSettings, log?: LogStream) {
  return {
    // Only the last proxy is trusted. Clients may invent earlier X-Forwarded-For entries.
    trustProxy: trustProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: limits.body,
    requestTimeout: limits.requestTimeout,
    http: {
      // Otherwise 60 s. Node exchanges the two timeouts if this timeout is longer.
      headersTimeout: limits.requestTimeout,
      // Detects slow requests at most a quarter of the timeout late.
      connectionsCheckingInterval: Math.ceil(limits.requestTimeout / 4),
      // `checkHead` checks it. Node's response has no body.
      requireHostHeader: false
    },
    // An idle connection. Longer than the duration of a request, and than the pauses of a stream of
    // events.
    connectionTimeout: Math.max(2 * limits.requestTimeout, 60_000),
    // During shutdown, requests on kept-alive connections get a response with `connection: close`.
    return503OnClosing: false,
    // The path schema rejects ids that are too long.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    requestIdHeader: false,
    genReqId: ({ headers }: { headers: Headers }) => requestId(headers),
    // `logRequest` logs requests. Fastify's lines contain the whole URL.
    logController: new LogController({ disableRequestLogging: true }),
    logger:
      logLevel === 'silent'
        ? false
        : { level: logLevel, hooks: { logMethod }, ...(log ? { stream: log } : {}) },
    clientErrorHandler: refuseClientError,
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      // No step of the pipeline runs here.
      request.state = new RequestState(limits.requestTimeout)
      return sendProblem(request, reply.headers(standardHeaders), serverProblem('bad-request.url'))
    }
  } as const satisfies FastifyHttpOptions<Server>
}

/**
 * The caller's request id if it is a UUID, otherwise the id of its trace, otherwise a new id. Other
 * texts would survive the erasure of a patient in the log and the audit record.
 */
function requestId({ 'x-request-id': given, traceparent }: Headers): string {
  return typeof given === 'string' && isUuid(given) ? given : (traceIdOf(traceparent) ?? randomUUID())
}
