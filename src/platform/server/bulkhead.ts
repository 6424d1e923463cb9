import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createSemaphore, PermitRefused, type Semaphore } from '../concurrency/semaphore.js'
import { problem } from '../errors/problem.js'
import { hasBody } from './body-timeout.js'
import type { Deadline } from './deadline.js'
import { incompleteRequest } from './error-handler.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Permits for heavy work. */
    bulkhead: Semaphore
    /** Permits for large, but not heavy, bodies and for large pages of lists. */
    largeRequests: Semaphore
    /** Permits for large, but not heavy, bodies of bulk routes. */
    largeBulkRequests: Semaphore
  }
  interface FastifyRequest {
    /** Releases the permit of the request's body. */
    releasePermit: (() => void) | undefined
    /** Whether the response was closed, by its end or by a client that disconnected. */
    isClosed: boolean
  }
}

/** Body bytes from which a request is heavy. */
const HEAVY_BODY_BYTES = 1_048_576
/** Heavy requests that may wait for each permit. */
const QUEUE_PER_PERMIT = 4
/** Body bytes from which a request is large. */
export const LARGE_BODY_BYTES = 32_768
/** Large requests that may wait. */
const MAX_LARGE_REQUESTS = 1000
/**
 * Large requests run one at a time, with a rest twice as long as the work, at most 100 ms, so that
 * a small request meets one of them at most.
 */
const LARGE_REQUESTS = {
  permits: 1,
  maxQueue: MAX_LARGE_REQUESTS,
  restMs: (heldMs: number) => Math.min(2 * heldMs, 100)
}

/**
 * Limits concurrent heavy requests. Others wait, or are refused before their body is read. The
 * permit of a body is held until the handler has settled, also after its deadline: register this
 * before `deadlines`.
 */
export const bulkhead = fp<{ permits: number }>(
  async (app: FastifyInstance, { permits }) => {
    const maxQueue = permits * QUEUE_PER_PERMIT
    app.decorate('bulkhead', createSemaphore({ permits, maxQueue }))
    app.decorate('largeRequests', createSemaphore(LARGE_REQUESTS))
    app.decorate('largeBulkRequests', createSemaphore({ permits, maxQueue: MAX_LARGE_REQUESTS }))
    app.decorateRequest('releasePermit')
    app.decorateRequest('isClosed', false)
    app.addHook('preParsing', (request, reply, payload, done) => {
      const { headers, routeOptions } = request
      const { bodyLimit = 0 } = routeOptions
      const length = Number(headers['content-length'])
      // No hook runs at the end of a response whose client disconnected.
      if (hasBody(request) && !(length < LARGE_BODY_BYTES))
        reply.raw.once('close', () => {
          request.isClosed = true
          request.releasePermit?.()
        })
      // A body over the limit gets 413 instead.
      if (length > HEAVY_BODY_BYTES && length <= bodyLimit && app.bulkhead.waiting >= maxQueue) throw busy()
      done(null, payload)
    })
    app.addHook('onRoute', (route) => {
      const { handler } = route
      route.handler = function (request, reply) {
        const release = request.releasePermit
        request.releasePermit = undefined
        const work: unknown = handler.call(this, request, reply)
        if (release)
          Promise.resolve(work)
            .catch(() => {})
            .finally(release)
        return work
      }
    })
    // The request was refused before its handler.
    app.addHook('onResponse', ({ releasePermit }, _reply, done) => {
      releasePermit?.()
      done()
    })
  },
  { name: 'bulkhead' }
)

/**
 * Acquires the permit for a large or heavy body. Called after the body has arrived, so that no
 * client holds a permit by sending slowly.
 * @throws Problem `busy`, or `incomplete-request` when the client disconnected while it waited
 */
export async function acquireBodyPermit(request: FastifyRequest, bytes: number): Promise<void> {
  const release = await permitsFor(request, bytes)
    .acquire(maxWaitSignal(request.deadline))
    .catch((cause) => {
      throw cause instanceof PermitRefused ? busy() : cause
    })
  if (request.isClosed) {
    release()
    throw incompleteRequest()
  }
  request.releasePermit = release
}

/**
 * A bulk route, whose body may be heavy, mostly waits for the database. One request at a time with
 * rests would take three times as long for the same rows.
 */
function permitsFor({ server, routeOptions }: FastifyRequest, bytes: number): Semaphore {
  if (bytes > HEAVY_BODY_BYTES) return server.bulkhead
  const isBulkRoute = (routeOptions.bodyLimit ?? 0) > HEAVY_BODY_BYTES
  return isBulkRoute ? server.largeBulkRequests : server.largeRequests
}

/** Aborts after two thirds of the remaining time, the maximum wait for a permit. */
export const maxWaitSignal = ({ remainingMs: left }: Deadline): AbortSignal =>
  AbortSignal.timeout(Math.ceil((left * 2) / 3))

/** The problem of heavy work that got no permit in time, or found the queue full. */
export const busy = () =>
  problem('busy', 'Too many large requests. Try again in a few seconds.', {
    headers: { 'retry-after': '5' }
  })
