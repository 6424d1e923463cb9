import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Problem } from '../errors/problem.js'
import { bodyTooSlow } from './deadline.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Timeout of the body. Undefined while the body is not awaited. */
    bodyTimer: NodeJS.Timeout | undefined
    /** Why the body was refused while it arrived. */
    bodyError: Problem | undefined
  }
}

/** Refuses a request whose body is being read or is still to be read. */
export function refuseBody(request: FastifyRequest, error: Problem): void {
  const { raw } = request
  request.bodyError = error
  clearBodyTimer(request)
  // The reader of the body listens and fails the request once.
  if (raw.listenerCount('error') > 0) raw.emit('error', error)
}

/** Refuses bodies that arrive after the request's deadline. Handles `Expect: 100-continue`. */
export const bodyTimeout = fp(
  async (app: FastifyInstance) => {
    app.decorateRequest('bodyTimer')
    app.decorateRequest('bodyError')
    app.addHook('preParsing', (request, reply, payload, done) => {
      const { raw, deadline, bodyError } = request
      if (bodyError) return done(bodyError)
      if (hasBody(request)) {
        raw.on('error', () => {})
        request.bodyTimer = setTimeout(() => refuseLateBody(request, reply), deadline.remainingMs)
        reply.raw.once('close', () => clearBodyTimer(request))
        if (willBeRead(request)) sendContinue(request, reply)
      }
      done(null, payload)
    })
    app.addHook('preValidation', (request, _reply, done) => {
      clearBodyTimer(request)
      done()
    })
  },
  { name: 'body-timeout', dependencies: ['deadlines'] }
)

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

function clearBodyTimer(request: FastifyRequest): void {
  clearTimeout(request.bodyTimer)
  request.bodyTimer = undefined
}

/** After a stall of this process the body may be in the socket's buffer, which is read first. */
function refuseLateBody(request: FastifyRequest, reply: FastifyReply): void {
  setImmediate(() => {
    if (request.bodyTimer && !request.raw.complete && !reply.sent) refuseBody(request, bodyTooSlow())
  })
}

/** Whether Fastify will read the body. It refuses a longer one by its `Content-Length`. */
const willBeRead = ({ headers, routeOptions }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? 0) <= (routeOptions.bodyLimit ?? 0)

function sendContinue({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.expect !== undefined && raw.httpVersion === '1.1') reply.raw.writeContinue()
}
