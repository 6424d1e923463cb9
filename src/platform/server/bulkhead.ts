import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerKeyOf } from '../auth/caller.js'
import type { Deadline } from '../concurrency/deadline.js'
import { createSemaphore, PermitRefused, type Semaphore } from '../concurrency/semaphore.js'
import { problem } from '../errors/problem.js'
import { incompleteRequest } from './error-handler.js'
import { hasBody } from './http-rules.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Permits for heavy work: bodies above 1 MiB, imports, exports and undos of imports. */
    heavyRequests: Semaphore
    /** Permits for other large bodies, and for large pages. */
    largeRequests: Semaphore
  }
  interface FastifyRequest {
    /** Releases the permit of the body. Undefined without one, and once the handler has it. */
    releasePermit: (() => void) | undefined
  }
}

/** Body bytes from which a request is heavy. */
const HEAVY_BODY_BYTES = 1_048_576
/** Body bytes from which a request is large. */
export const LARGE_BODY_BYTES = 32_768
/** Heavy requests that may wait for each permit. */
const QUEUE_PER_PERMIT = 4
/** A caller leaves the other permits, and places in the queue, to others. */
const SHARE = { permits: 1, maxQueue: 4 }

/** Limits concurrent heavy and large requests. Others wait, or their body is not read. */
export function bulkhead(app: FastifyInstance, permits: number): void {
  app.decorate(
    'heavyRequests',
    createSemaphore({ permits, maxQueue: permits * QUEUE_PER_PERMIT, share: SHARE })
  )
  app.decorate('largeRequests', createSemaphore({ permits: 2, maxQueue: 1000, share: SHARE }))
  app.decorateRequest('releasePermit')
  app.addHook('preParsing', (request, reply, payload, done) => {
    const length = Number(request.headers['content-length'])
    if (!hasBody(request) || length < LARGE_BODY_BYTES) return done(null, payload)
    // The request was refused before its handler, or its client disconnected.
    reply.raw.once('close', () => request.releasePermit?.())
    // A body over the limit gets 413 instead.
    if (length <= (request.routeOptions.bodyLimit ?? 0)) checkRoom(request, length)
    done(null, payload)
  })
}

/**
 * Acquires the permit for a large or heavy body. Called after the body has arrived, so that no
 * client holds a permit by sending slowly.
 * @throws Problem `busy` or `too-many-requests`, or `incomplete-request` when the client
 *   disconnected while it waited
 */
export async function acquireBodyPermit(request: FastifyRequest, bytes: number): Promise<void> {
  checkRoom(request, bytes)
  const release = await permitsFor(request, bytes)
    .acquire(maxWaitSignal(request.deadline), callerKeyOf(request.call.caller))
    .catch((cause) => {
      throw toRefusal(cause)
    })
  if (request.raw.socket.destroyed) {
    release()
    throw incompleteRequest()
  }
  request.releasePermit = release
}

function checkRoom(request: FastifyRequest, bytes: number): void {
  try {
    permitsFor(request, bytes).check(callerKeyOf(request.call.caller))
  } catch (cause) {
    throw toRefusal(cause)
  }
}

/** Runs heavy work of a request. @throws PermitRefused */
export async function runHeavy<T>(
  { server, deadline, call }: FastifyRequest,
  work: () => Promise<T>
): Promise<T> {
  server.heavyRequests.check(callerKeyOf(call.caller))
  return server.heavyRequests.run(maxWaitSignal(deadline), work, callerKeyOf(call.caller))
}

const permitsFor = ({ server }: FastifyRequest, bytes: number): Semaphore =>
  bytes > HEAVY_BODY_BYTES ? server.heavyRequests : server.largeRequests

/** Whether the route takes larger bodies than others. */
export const isBulk = ({ server, routeOptions }: FastifyRequest): boolean =>
  (routeOptions.bodyLimit ?? 0) > (server.initialConfig.bodyLimit ?? 0)

/** Aborts after two thirds of the remaining time, the maximum wait for a permit. */
export const maxWaitSignal = ({ remainingMs: left }: Deadline): AbortSignal =>
  AbortSignal.timeout(Math.ceil((left * 2) / 3))

/** The problem of a request that got no permit in time, or found a queue full. */
function toRefusal(cause: unknown): unknown {
  if (!(cause instanceof PermitRefused)) return cause
  return cause.reason === 'share-full'
    ? problem('too-many-requests', {
        en: `Maximum waiting large requests of a caller: ${SHARE.maxQueue}. Try again in a few seconds.`,
        da: `Højeste antal store anmodninger, der venter, for én bruger: ${SHARE.maxQueue}. Prøv igen om nogle sekunder.`
      })
    : problem('busy')
}
