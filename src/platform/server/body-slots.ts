import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import { slotOwnerOf } from '../auth/caller.js'
import type { ReleaseSlots, Slots } from '../concurrency/slots.js'
import { readsBody } from './check-body.js'
import { incompleteRequest } from './error-handler.js'

/** Body bytes from which a request is heavy work. */
const HEAVY_BODY_BYTES = 1_048_576
/** Body bytes from which a request is large work. */
export const LARGE_BODY_BYTES = 32_768

/**
 * Slots that a request has taken, until its handler has settled or its response ended before that.
 */
export class TakenSlots {
  /** The handler goes on after its deadline, or after its client disconnected. */
  isInHandler = false
  #releases: ReleaseSlots[] | undefined = []

  add(release: ReleaseSlots): void {
    if (this.#releases) this.#releases.push(release)
    else release()
  }

  releaseAll(): void {
    for (const release of this.#releases ?? []) release()
    this.#releases = undefined
  }
}

/** Rejects a large body before it is read when no slot is free for its work. */
export const checkBodySlot = (): preParsingHookHandler => (request, reply, payload, done) => {
  const length = Number(request.headers['content-length'])
  if (!readsBody(request) || length < LARGE_BODY_BYTES) return done(null, payload)
  const taken = new TakenSlots()
  request.state.taken = taken
  reply.raw.once('close', () => {
    // After the error response to a slow upload nothing wakes the handler that reads it.
    if (!taken.isInHandler || request.raw.complete === false) taken.releaseAll()
  })
  // A body over the limit gets 413 instead.
  if (length <= (request.routeOptions.bodyLimit ?? 0))
    slotsFor(request, length).check(slotOwnerOf(request.state.call.caller))
  done(null, payload)
}

/**
 * Takes the slot for the work on a large body after the body has arrived, so that no client takes a
 * slot by sending slowly.
 * @throws NoSlot, or Problem `incomplete-request` when the client disconnected meanwhile.
 */
export async function takeBodySlot(request: FastifyRequest, bytes: number): Promise<void> {
  const release = await slotsFor(request, bytes).acquire(
    slotOwnerOf(request.state.call.caller),
    request.state.deadline
  )
  if (request.state.taken) request.state.taken.add(release)
  else release()
  if (request.raw.socket.destroyed) throw incompleteRequest()
}

const slotsFor = ({ server }: FastifyRequest, bytes: number): Slots =>
  bytes > HEAVY_BODY_BYTES ? server.slots.heavyWork : server.slots.largeWork
