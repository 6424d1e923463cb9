import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Problem } from '../errors/problem.js'
import { tooSlow } from './deadline.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the wait for the body; undefined while nothing waits for it. */
    bodyTimer: NodeJS.Timeout | undefined
    /** What is wrong with the body on the wire. */
    bodyFault: Problem | undefined
  }
}

/** Refuses a request whose body is being read, or will be. A handler that does not need it sends the response itself. */
export function refuseBody(request: FastifyRequest, refusal: Problem): void {
  const { raw } = request
  request.bodyFault = refusal
  stopWaiting(request)
  // What reads the body listens, and ends the request with this error, once.
  if (raw.listenerCount('error') > 0) raw.emit('error', refusal)
}

/** Ends the wait for a request's body when the request's time is over, and asks for the body of clients that wait for that. */
export const bodyTimeout = fp(
  async (app: FastifyInstance) => {
    app.decorateRequest('bodyTimer')
    app.decorateRequest('bodyFault')
    app.addHook('preParsing', (request, reply, payload, done) => {
      const { raw, deadline, bodyFault } = request
      if (bodyFault) return done(bodyFault)
      if (hasBody(request)) {
        raw.on('error', () => {})
        request.bodyTimer = setTimeout(() => refuseLate(request), deadline.remainingMs)
        raw.once('close', () => stopWaiting(request))
        if (isWanted(request)) askForBody(request, reply)
      }
      done(null, payload)
    })
    app.addHook('preValidation', (request, _reply, done) => {
      stopWaiting(request)
      done()
    })
    app.addHook('onSend', (request, _reply, payload, done) => {
      stopWaiting(request)
      done(null, payload)
    })
  },
  { name: 'body-wait', dependencies: ['deadlines'] }
)

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

function stopWaiting(request: FastifyRequest): void {
  clearTimeout(request.bodyTimer)
  request.bodyTimer = undefined
}

/** After a stall of this process the body may have come already: what can be read is read first. */
function refuseLate(request: FastifyRequest): void {
  setImmediate(() => {
    if (request.bodyTimer && !request.raw.complete) refuseBody(request, tooSlow())
  })
}

/** Whether Fastify will read the body: a longer one is refused by its announced length. */
const isWanted = ({ headers, routeOptions }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? 0) <= (routeOptions.bodyLimit ?? 0)

function askForBody({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.expect !== undefined && raw.httpVersion === '1.1') reply.raw.writeContinue()
}
