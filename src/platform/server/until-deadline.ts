import type { FastifyReply, FastifyRequest } from 'fastify'
import { bodyTooSlow, tooLate } from '../concurrency/deadline.js'
import { redactError } from '../errors/redact-error.js'
import { logLine } from '../logging/log-line.js'

/** A handler of a route, with any types of its inputs. */
type Handler = (request: never, reply: never) => unknown

const bounded = new WeakSet<object>()

/** Whether a handler was made by {@link untilDeadline}. */
export const isBounded = (handler: object): boolean => bounded.has(handler)

/**
 * Makes the handler of a route: responds at the request's deadline at the latest, while the work
 * continues, and releases the slots of its body when the work has settled. Fastify's
 * `handlerTimeout` sends a second response, with a second audit record, while the first is being
 * recorded. For the same reason handlers return the body instead of calling `reply.send`.
 */
export function untilDeadline<H extends Handler>(handler: H): H {
  const bound = (request: FastifyRequest, reply: FastifyReply) => {
    const work = handler(request as never, reply as never)
    return work instanceof Promise ? respondInTime(work, request, reply) : work
  }
  bounded.add(bound)
  return bound as unknown as H
}

function respondInTime(work: Promise<unknown>, request: FastifyRequest, reply: FastifyReply) {
  const { deadline, taken } = request.state
  if (taken) taken.isInHandler = true
  work
    .catch((cause) => {
      if (deadline.isExceeded)
        request.log.warn(
          logLine('The work of a request failed after its deadline', { cause: redactError(cause) })
        )
    })
    .finally(() => {
      if (!taken) return
      // Otherwise a client that reads its response slowly would keep the body in memory.
      request.body = undefined
      taken.releaseAll()
    })
  // The handler reads an upload, so a slow client gets 408.
  const late = () => (request.raw.complete === false ? bodyTooSlow() : tooLate())
  const body = deadline.wait(work, late)
  // Fastify would not send a response without a body to a client that has disconnected, and the
  // request would have no audit record.
  return body.then((value) => (reply.sent ? reply : reply.send(value)))
}
