import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { type FastifyHttpOptions, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Config } from '../../settings/config.js'
import { problem } from '../errors/problem.js'
import { logMethod } from '../logging/log-line.js'
import { clientErrors } from './client-error.js'
import { sendProblem } from './error-handler.js'
import { helmetHeaders } from './security-headers.js'

/** Where log lines go. */
export interface LogStream {
  write(line: string): void
}

/** Fastify's own options: time-outs, limits, addresses, request ids, and a log without patient data. */
export function serverOptions(config: Pick<Config, 'limits' | 'trustProxy' | 'logLevel'>, log?: LogStream) {
  const { limits, trustProxy, logLevel } = config
  return {
    // What the proxy itself was told may be a caller's invention.
    trustProxy: trustProxy && ((_address: string, hop: number) => hop === 0),
    bodyLimit: limits.body,
    requestTimeout: limits.requestTimeout,
    http: {
      // A request that trickles in is found at the latest a quarter of its time too late.
      connectionsCheckingInterval: Math.ceil(limits.requestTimeout / 4),
      // Checked by the rules of requests: Node's own refusal has no body.
      requireHostHeader: false
    },
    connectionTimeout: limits.requestTimeout * 2,
    // Who asks on a kept connection while the server closes is answered, and told to close it.
    return503OnClosing: false,
    // An id too long to be one is an unknown id, which the schema of the path says.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    requestIdHeader: false,
    genReqId: (request: { headers: Record<string, string | string[] | undefined> }) =>
      requestId(request.headers['x-request-id']),
    // Request lines are logged by the request guard: Fastify's own hold the whole URL.
    logController: new LogController({ disableRequestLogging: true }),
    logger:
      logLevel === 'silent'
        ? false
        : { level: logLevel, hooks: { logMethod }, ...(log ? { stream: log } : {}) },
    clientErrorHandler: clientErrors(limits.requestTimeout),
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      // No hook runs for it.
      sendProblem(
        request,
        reply.headers(helmetHeaders),
        problem('bad-request', 'The address cannot be decoded.')
      )
  } as const satisfies FastifyHttpOptions<Server>
}

/** The caller's request id where it is a plain one, else a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID()
}
