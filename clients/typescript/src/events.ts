import type { CallOptions } from './api.js'
import { NoResponseError, ProblemError } from './errors.js'
import type { CloudEvent } from './generated/types.js'
import type { Page } from './pages.js'
import { sleep } from './transport.js'

export interface EventOptions extends CallOptions {
  /** The `cursor` of an earlier batch. Default: begin with the oldest stored event. */
  after?: string | undefined
  /** Types of events. Default: all. */
  types?: readonly string[]
  /** Seconds that the server waits for an event, at most 30. Default: 20. */
  wait?: number
  /**
   * Called when the events after the cursor are no longer kept: reload the resources there. The
   * next batch begins with the oldest stored event. Default: the iteration throws the error.
   */
  onExpired?: () => unknown
  /** Called with each failure after which the iteration repeats a request. */
  onFailure?: (error: Error) => unknown
}

/** Events in their order. Empty if nothing happened while the server waited. */
export interface EventBatch {
  events: readonly CloudEvent[]
  /** Where the next batch begins. Store it after the events were processed, also if there are none. */
  cursor: string
}

export interface EventQuery {
  after: string | undefined
  types: string | undefined
  wait: number
}

type Load = (query: EventQuery) => Promise<Page<CloudEvent>>

/**
 * Follows a feed without end. Failures of the network and of the server, and 429, are repeated
 * until the feed responds.
 * @param failureDelayMs milliseconds before a repetition, unless the server says how long.
 * @throws ProblemError for another 4xx response, such as for an invalid token; the reason of the
 * signal.
 */
export async function* followEvents(
  load: Load,
  options: EventOptions,
  failureDelayMs: number
): AsyncGenerator<EventBatch> {
  for (let { after } = options; ; ) {
    const batch = await nextBatch(load, { ...options, after }, failureDelayMs)
    after = batch?.cursor
    if (batch) yield batch
  }
}

/** The next batch. Undefined if the cursor was too old. */
async function nextBatch(
  load: Load,
  { after, types, wait = 20, onExpired, onFailure, signal }: EventOptions,
  failureDelayMs: number
): Promise<EventBatch | undefined> {
  for (;;) {
    try {
      const { entries, next } = await load({ after, types: types?.join(), wait })
      return { events: entries, cursor: cursorOf(next) }
    } catch (error) {
      signal?.throwIfAborted()
      if (onExpired && error instanceof ProblemError && error.code === 'cursor-too-old') {
        await onExpired()
        return undefined
      }
      if (!isTransient(error)) throw error
      await onFailure?.(error)
      await sleep(error.retryAfterMs ?? failureDelayMs, signal)
    }
  }
}

function cursorOf(next: string | undefined): string {
  const cursor = new URLSearchParams(next).get('after')
  if (cursor === null) throw new Error('The response has no link to the next events.')
  return cursor
}

const isTransient = (error: unknown): error is NoResponseError | ProblemError =>
  (error instanceof NoResponseError || error instanceof ProblemError) &&
  (error.status === undefined || error.status === 429 || error.status >= 500)
