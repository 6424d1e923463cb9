import type { FastifyInstance } from 'fastify'
import type { EventApi } from '../ledger/event-types.js'
import type { Call } from '../platform/auth/call.js'
import { cloudEventOf } from './cloud-event.js'
import { sealCursor } from './cursor.js'
import { awaitBatch } from './feed.js'
import type { FeedRequest } from './read-events.js'
import { recordOrders } from './subjects.js'

/** Milliseconds after which a stream without events sends its cursor. */
const HEARTBEAT_MS = 15_000

/**
 * Maximum number of events of a part. A client that does not read leaves two parts in memory, and
 * there may be 1000 such clients.
 */
const MAX_PART_EVENTS = 100

/**
 * Streams events (Server-Sent Events) until `isOver`. Each part is read only when the client has
 * received the previous part, and is sent after its audit record.
 */
export async function* eventStream(
  app: FastifyInstance,
  call: Call,
  api: EventApi,
  request: FeedRequest,
  isOver: () => boolean
): AsyncGenerator<string> {
  const limit = Math.min(request.limit, MAX_PART_EVENTS)
  let after = request.after
  yield idOf(after)
  while (!isOver()) {
    const end = performance.now() + HEARTBEAT_MS
    const batch = await awaitBatch(
      app,
      call,
      { ...request, after, limit },
      () => isOver() || performance.now() > end
    )
    await recordOrders(app, call, batch.events)
    after = batch.next
    // The cursor of an event is its own position, because the following events of the part may get
    // lost.
    const parts = batch.events.map(
      (row) =>
        `${idLine({ position: row.position, at: row.time })}data: ${JSON.stringify(cloudEventOf(app.resourceUrls, row))}\n\n`
    )
    yield parts.join('') + idOf(after)
  }

  function idLine(cursor: FeedRequest['after']): string {
    return `id: ${sealCursor(app.cursors, api, cursor)}\n`
  }
  /** A message without data only sends the cursor to the client. */
  function idOf(cursor: FeedRequest['after']): string {
    return `${idLine(cursor)}\n`
  }
}
