import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify'
import { shareKeysOf } from '../auth/caller.js'
import type { Deadline } from '../concurrency/deadline.js'
import { createSemaphore, PermitRefused, type Semaphore } from '../concurrency/semaphore.js'
import { problem } from '../errors/problem.js'
import { readsBody } from './check-body.js'
import { incompleteRequest } from './error-handler.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Permits for heavy work: bodies above 1 MiB, imports, exports and undos of imports. */
    heavyRequests: Semaphore
    /** Permits for other large bodies, and for large pages. */
    largeRequests: Semaphore
    /** Permits for pages of lists up to 256 KiB. */
    pageReads: Semaphore
    /** Permits for such pages with `expand`, as CSV, or of many entries, which take more time. */
    widePageReads: Semaphore
  }
}

/** Body bytes from which a request is heavy. */
const HEAVY_BODY_BYTES = 1_048_576
/** Body bytes from which a request is large. */
export const LARGE_BODY_BYTES = 32_768
/** Heavy requests that may wait for each permit. */
const QUEUE_PER_PERMIT = 4

/**
 * The shares of a caller and of its organization. One organization never has the last permit, nor
 * the last place in the queue, with the default number of permits.
 */
const HEAVY_SHARES = [
  { permits: 1, maxQueue: 4 },
  { permits: 1, maxQueue: 6 }
]
const LARGE_SHARES = [
  { permits: 1, maxQueue: 4 },
  { permits: 1, maxQueue: 40 }
]
/** Fewer than the connections of the default pool, so that other requests find a free one. */
const PAGE_PERMITS = 16
const PAGE_SHARES = [
  { permits: 6, maxQueue: 100 },
  { permits: 7, maxQueue: 300 }
]
const WIDE_PAGE_SHARES = [
  { permits: 1, maxQueue: 100 },
  { permits: 2, maxQueue: 300 }
]

/**
 * What a request takes of shared limits. It is released when the handler has settled, or when the
 * response has ended before the handler began.
 */
export class Taken {
  /** The handler goes on after its deadline, or after its client disconnected. */
  isInHandler = false
  #releases: (() => void)[] | undefined = []

  add(release: () => void): void {
    if (this.#releases) this.#releases.push(release)
    else release()
  }

  releaseAll(): void {
    for (const release of this.#releases ?? []) release()
    this.#releases = undefined
  }
}

/** Limits concurrent heavy and large requests. Others wait, or their body is not read. */
export function limitLargeBodies(
  app: FastifyInstance,
  { limits: { bulkConcurrency: permits } }: { limits: { bulkConcurrency: number } }
): preParsingHookHandler {
  const maxQueue = permits * QUEUE_PER_PERMIT
  app.decorate('heavyRequests', createSemaphore({ permits, maxQueue, shares: HEAVY_SHARES, rests: true }))
  app.decorate(
    'largeRequests',
    createSemaphore({ permits: 2, maxQueue: 1000, shares: LARGE_SHARES, rests: true })
  )
  app.decorate('pageReads', createSemaphore({ permits: PAGE_PERMITS, maxQueue: 1000, shares: PAGE_SHARES }))
  app.decorate('widePageReads', createSemaphore({ permits: 4, maxQueue: 1000, shares: WIDE_PAGE_SHARES }))
  return (request, reply, payload, done) => {
    const length = Number(request.headers['content-length'])
    if (!readsBody(request) || length < LARGE_BODY_BYTES) return done(null, payload)
    const taken = new Taken()
    request.state.taken = taken
    reply.raw.once('close', () => {
      // After the error response to a slow upload nothing wakes the handler that reads it.
      if (!taken.isInHandler || request.raw.complete === false) taken.releaseAll()
    })
    // A body over the limit gets 413 instead.
    if (length <= (request.routeOptions.bodyLimit ?? 0)) checkPermit(request, length)
    done(null, payload)
  }
}

/**
 * Acquires the permit for a large or heavy body. Called after the body has arrived, so that no
 * client holds a permit by sending slowly.
 * @throws Problem `busy` or `too-many-requests`, or `incomplete-request` when the client
 *   disconnected while it waited
 */
export async function acquireBodyPermit(request: FastifyRequest, bytes: number): Promise<void> {
  const release = await permitsFor(request, bytes)
    .acquire(maxWaitSignal(request.state.deadline), shareKeysOf(request.state.call.caller))
    .catch((cause) => {
      throw toRefusal(cause)
    })
  if (request.state.taken) request.state.taken.add(release)
  else release()
  if (request.raw.socket.destroyed) throw incompleteRequest()
}

function checkPermit(request: FastifyRequest, bytes: number): void {
  try {
    permitsFor(request, bytes).check(shareKeysOf(request.state.call.caller))
  } catch (cause) {
    throw toRefusal(cause)
  }
}

/** Runs heavy work of a request. @throws PermitRefused */
export const runHeavy = <T>(
  { server, state: { deadline, call } }: FastifyRequest,
  work: () => Promise<T>
): Promise<T> => server.heavyRequests.run(maxWaitSignal(deadline), work, shareKeysOf(call.caller))

const permitsFor = ({ server }: FastifyRequest, bytes: number): Semaphore =>
  bytes > HEAVY_BODY_BYTES ? server.heavyRequests : server.largeRequests

/** Whether the route takes larger bodies than others. */
export const isBulk = ({ server, routeOptions }: FastifyRequest): boolean =>
  (routeOptions.bodyLimit ?? 0) > (server.initialConfig.bodyLimit ?? 0)

/** Aborts after two thirds of the remaining time, the maximum wait for a permit. */
export const maxWaitSignal = ({ remainingMs: left }: Deadline): AbortSignal =>
  AbortSignal.timeout(Math.ceil((left * 2) / 3))

/** The problem of a request that got no permit in time, or found a queue or a share full. */
export function toRefusal(cause: unknown): unknown {
  if (!(cause instanceof PermitRefused)) return cause
  return problem(cause.reason === 'share-full' ? 'too-many-requests.inProgress' : 'busy')
}
