import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventApi } from '../ledger/event-types.js'
import { noAuditSubjects } from '../platform/auth/audit-rule.js'
import type { Call } from '../platform/auth/call.js'
import { authProblem } from '../platform/auth/texts.js'
import { invalidToken } from '../platform/auth/tokens/access-token.js'
import { routeDoc } from '../platform/rest/route-config.js'
import { untilDeadline } from '../platform/server/until-deadline.js'
import { cloudEventOf } from './cloud-event.js'
import { sealCursor } from './cursor.js'
import { CloudEvent } from './event-feed.schemas.js'
import { eventStream } from './event-stream.js'
import { feedAccess } from './families.js'
import { assertInLedger, awaitBatch } from './feed.js'
import {
  BATCH_MEDIA_TYPE,
  FeedQuery,
  isStream,
  linkToNext,
  parseFeedQuery,
  parseFeedRequest,
  STREAM_MEDIA_TYPE
} from './feed-request.js'
import type { FeedRequest } from './read-events.js'
import { orderSubjectsOf } from './subjects.js'
import { createWaiters } from './waiters.js'

const description = `Lists events, oldest first, as \`${BATCH_MEDIA_TYPE}\`. Every response, even if it is empty, has a \`Link\` with \`rel="next"\`. Its URL returns all later events, each once. With \`wait\` the response waits for an event up to that many seconds, at most until the token expires. It does not wait while more events of other parties follow than one request scans. Beyond 100 waiting requests and streams of a caller, or 250 of an organization, the response is 429 with \`Retry-After\`, unless there are events. With \`Accept: ${STREAM_MEDIA_TYPE}\` events are streamed until the token expires or is rejected; \`Last-Event-ID\` continues after an event. An event is visible to callers who may read its resource when the event is read. A seller sees the events of an order after its submission. The [AsyncAPI document](../../../asyncapi.json) has a schema for each type.`

const response: Record<number, TSchema> = {
  200: Type.Array(CloudEvent, { description: 'Events, oldest first.' })
}

/** `GET /events`: the events of an API, as a list, by waiting, or as a stream. */
export function eventFeedRoutes(api: EventApi): FastifyPluginAsyncTypebox {
  return async (app) => {
    const { orderEventWaits, catalogueEventWaits } = app.slots
    const waiters = createWaiters(
      api === 'ssl-order' ? orderEventWaits : catalogueEventWaits,
      () => app.isShuttingDown,
      ({ organization = '' }) => app.replacedOrganizations.replacementOf(organization) !== undefined
    )

    app.get(
      '/events',
      {
        config: {
          access: feedAccess(api),
          audit: noAuditSubjects,
          checkQuery: (query) => void parseFeedQuery(app, api, query),
          doc: routeDoc('What happened, as CloudEvents 1.0.', description, { errors: ['cursor-too-old'] })
        },
        schema: {
          operationId: api === 'ssl-order' ? 'listOrderEvents' : 'listCatalogueEvents',
          summary: 'List events',
          tags: ['Event'],
          produces: [BATCH_MEDIA_TYPE, STREAM_MEDIA_TYPE],
          querystring: FeedQuery,
          response
        }
      },
      untilDeadline(async (request, reply) => {
        reply.header('cache-control', 'no-store')
        const wanted = parseFeedRequest(app, api, request)
        await assertInLedger(app, wanted.after)
        return isStream(request) ? sendStream(wanted, request, reply) : sendBatch(wanted, request, reply)
      })
    )

    async function sendBatch(wanted: FeedRequest, request: FastifyRequest, reply: FastifyReply) {
      const query = request.query as FeedQuery
      const { call, deadline } = request.state
      const waitMs = Math.min((query.wait ?? 0) * 1000, deadline.waitMs, msUntilExpiry(call))
      const waiter = waiters.add(request, waitMs)
      const batch = await awaitBatch(app, call, wanted, waiter.isOver).finally(waiter.remove)
      const { events, next } = batch
      // Responds without a wait: with events, or with the cursor of a scan that has more events to
      // read.
      if (waiter.refusal && events.length === 0 && batch.isLast) throw waiter.refusal
      call.auditContext.addSubjects(orderSubjectsOf(events))
      const url = `${app.resourceUrls.base(api)}/events`
      reply.header('link', linkToNext(url, query, sealCursor(app.cursors, api, next)))
      reply.type(BATCH_MEDIA_TYPE)
      return events.map((row) => cloudEventOf(app.resourceUrls, row))
    }

    async function sendStream(wanted: FeedRequest, request: FastifyRequest, reply: FastifyReply) {
      reply.type(STREAM_MEDIA_TYPE)
      // Fastify would read the stream to its end, after the response.
      if (request.method === 'HEAD') return Readable.from([])
      const { call } = request.state
      const maxMs = msUntilExpiry(call)
      // The limit includes the leeway of clocks, because a stream that ends at once would be
      // reopened at once.
      if (maxMs <= 0) throw authProblem('unauthorized.expired', null, null, invalidToken)
      const waiter = waiters.add(request, maxMs)
      if (waiter.refusal) throw waiter.refusal
      const stream = Readable.from(eventStream(app, call, api, wanted, waiter.isOver), { objectMode: false })
      stream.once('close', waiter.remove)
      // A client that does not read would keep the stream open beyond its end.
      waiter.onOver(() => stream.destroy())
      // Plugins, the stream and Node together have more than ten listeners.
      reply.raw.setMaxListeners(20)
      // Not the reply, because it settles at the end of the stream, after the deadline.
      return stream
    }
  }
}

const msUntilExpiry = ({ caller: { expiresAt = Number.POSITIVE_INFINITY } }: Call) =>
  expiresAt * 1000 - Date.now()
