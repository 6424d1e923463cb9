import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createSemaphore, PermitRefused, type Semaphore } from '../concurrency/semaphore.js'
import { problem } from '../errors/problem.js'
import type { Deadline } from './deadline.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Permits for heavy work. */
    bulkhead: Semaphore
    /** Permits for bodies that are large, but not heavy, and for large pages of lists. */
    largeRequests: Semaphore
  }
  interface FastifyRequest {
    /** Gives back the permit that the request's body needed. */
    releasePermit: (() => void) | undefined
  }
}

/** Bytes of a body from which a request is heavy. */
const HEAVY_BODY_BYTES = 1_048_576
/** Heavy requests that may wait, for each permit. */
const WAITING_PER_PERMIT = 4
/** Bytes of a body from which a request is large. */
export const LARGE_BODY_BYTES = 32_768
/**
 * Large requests are worked on one at a time, and then the processor is left to everything else for as long. Without that, steps of
 * several of them run in a row between two steps of any other request, which takes half a dozen steps.
 */
const LARGE_REQUESTS = { permits: 1, maxQueue: 1000, restMs: (heldMs: number) => Math.min(heldMs, 100) }

/**
 * Lets few heavy requests be worked on at once; others wait, or are refused before their body is read. A permit for a body is held
 * until the handler's work has ended, also where its request was given up: this must be registered before deadlines.
 */
export const bulkhead = fp<{ permits: number }>(
  async (app: FastifyInstance, { permits }) => {
    const maxQueue = permits * WAITING_PER_PERMIT
    app.decorate('bulkhead', createSemaphore({ permits, maxQueue }))
    app.decorate('largeRequests', createSemaphore(LARGE_REQUESTS))
    app.decorateRequest('releasePermit')
    app.addHook('preParsing', async ({ headers, routeOptions: { bodyLimit = 0 } }) => {
      const length = Number(headers['content-length'])
      // A body over the limit is refused as such.
      if (length > HEAVY_BODY_BYTES && length <= bodyLimit && app.bulkhead.waiting >= maxQueue) throw busy()
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
 * Waits for the permit that a large or heavy body needs. It is asked for when the body has come, so that nobody holds one by
 * sending slowly.
 * @throws Problem `busy`
 */
export async function acquireBodyPermit(request: FastifyRequest, bytes: number): Promise<void> {
  const { bulkhead, largeRequests } = request.server
  const permits = bytes > HEAVY_BODY_BYTES ? bulkhead : largeRequests
  request.releasePermit = await permits.acquire(queueSignal(request.deadline)).catch((cause) => {
    throw cause instanceof PermitRefused ? busy() : cause
  })
}

/** Aborts after two thirds of the time that is left: heavy work does not wait longer for its permit. */
export const queueSignal = ({ remainingMs: left }: Deadline): AbortSignal =>
  AbortSignal.timeout(Math.ceil((left * 2) / 3))

/** The problem of heavy work that waited for too long, or that too much other work stands before. */
export const busy = () =>
  problem('busy', 'Too many large requests are being worked on. Try again in a moment.', {
    headers: { 'retry-after': '5' }
  })
