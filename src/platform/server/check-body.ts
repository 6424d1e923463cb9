import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import { slotOwnerOf } from '../auth/caller.js'
import type { ReleaseSlots, Slots } from '../concurrency/slots.js'
import { type Problem, problem } from '../errors/problem.js'
import { incompleteRequest, unknownPath } from './error-handler.js'

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['DELETE', 'PATCH', 'POST', 'PUT'])

const PARAMETER = /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g

/** Rejects a body that the server cannot read, and discards a body that no route reads. */
export const checkBody = (): preParsingHookHandler => (request, _reply, payload, done) => {
  // The body of a request for an unknown URL is not read.
  if (request.is404 && hasBody(request)) done(unknownPath(request.server), payload)
  else if (hasBody(request)) {
    // Otherwise the body waits in a buffer, where tiny chunks take many times their bytes.
    if (!readsBody(request)) request.raw.resume()
    done(bodyProblem(request), payload)
  } else done(null, payload)
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Whether the server reads the body. Other methods, public routes and unknown URLs ignore it. */
export const readsBody = (request: FastifyRequest): boolean =>
  hasBody(request) &&
  !request.is404 &&
  METHODS_WITH_BODY.has(request.method) &&
  request.state.call !== undefined

function bodyProblem({ headers, raw }: FastifyRequest): Problem | null {
  // After this no event reaches a reader of the body.
  if (raw.destroyed && !raw.complete) return incompleteRequest()
  const codings = (headers['content-encoding'] ?? '').split(',').map((each) => each.trim().toLowerCase())
  if (codings.some((each) => each !== '' && each !== 'identity'))
    return problem('unsupported-media-type', null, null, { headers: { 'accept-encoding': 'identity' } })
  const charsets = charsetsOf(headers['content-type'] ?? '')
  if (charsets.some((each) => each !== 'utf-8' && each !== 'utf8')) return problem('unsupported-media-type')
  return null
}

/** The charset parameters of a media type, in lower case and without quotes. */
function charsetsOf(mediaType: string): string[] {
  return [...mediaType.matchAll(PARAMETER)]
    .filter(([, name]) => name?.toLowerCase() === 'charset')
    .map(([, , quoted, plain = '']) => (quoted?.replace(/\\(.)/g, '$1') ?? plain).trim().toLowerCase())
}

const HEAVY_BODY_BYTES = 1_048_576
export const LARGE_BODY_BYTES = 32_768

/**
 * Slots that a request has taken, until its handler has settled or its response ended before that.
 */
export class TakenSlots {
  /** The handler continues after its deadline, and after its client has disconnected. */
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
    // After the error response to a slow upload no event resumes the handler that reads it.
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
