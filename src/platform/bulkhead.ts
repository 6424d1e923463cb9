import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Deadline } from './deadline.js'
import { problem } from './problem.js'
import { createSemaphore, PermitRefused, type Semaphore } from './semaphore.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Permits for heavy work. */
    bulkhead: Semaphore
  }
  interface FastifyRequest {
    /** Gives back the permit that the request's body needed. */
    releasePermit: (() => void) | undefined
  }
}

/** Bytes of a body from which a request is heavy. */
const LARGE_BODY_BYTES = 1_048_576
/** Requests that may wait, for each permit. */
const WAITING_PER_PERMIT = 4

/**
 * Lets few heavy requests be worked on at once; others wait, or are refused before their body is read. A permit for a body is held
 * until the handler's work has ended, also where its request was given up: this must be registered before deadlines.
 */
export const bulkhead = fp<{ permits: number }>(
  async (app: FastifyInstance, { permits }) => {
    const maxQueue = permits * WAITING_PER_PERMIT
    app.decorate('bulkhead', createSemaphore({ permits, maxQueue }))
    app.decorateRequest('releasePermit')
    app.addHook('preParsing', async ({ headers, routeOptions: { bodyLimit = 0 } }) => {
      const length = Number(headers['content-length'])
      // A body over the limit is refused as such.
      if (length > LARGE_BODY_BYTES && length <= bodyLimit && app.bulkhead.waiting >= maxQueue) throw busy()
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
    // Refused before its handler.
    app.addHook('onResponse', async ({ releasePermit }) => releasePermit?.())
  },
  { name: 'bulkhead' }
)

/**
 * Waits for a permit where a body of this many bytes needs one. It is asked for when the body has come, so that nobody holds one by
 * sending slowly.
 * @throws Problem `busy`
 */
export async function admitBody(request: FastifyRequest, bytes: number): Promise<void> {
  if (bytes <= LARGE_BODY_BYTES) return
  const { bulkhead } = request.server
  request.releasePermit = await bulkhead.acquire(queueTime(request.deadline)).catch((cause) => {
    throw cause instanceof PermitRefused ? busy() : cause
  })
}

/** Aborts after two thirds of the time that is left: heavy work does not wait longer for its permit. */
export const queueTime = ({ left }: Deadline): AbortSignal => AbortSignal.timeout(Math.ceil((left * 2) / 3))

/** The problem of heavy work that waited for too long, or that too much other work stands before. */
export const busy = () =>
  problem('busy', 'Too many large requests are being worked on. Try again in a moment.', {
    headers: { 'retry-after': '5' }
  })
