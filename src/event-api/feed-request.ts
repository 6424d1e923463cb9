import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { type EventApi, eventTypes } from '../ledger/event-types.js'
import { fill } from '../platform/errors/language.js'
import { parseAll, queryProblem } from '../platform/errors/query-problem.js'
import { acceptedRanges } from '../platform/headers/negotiation.js'
import type { Ports } from '../ports.js'
import { openCursor, retentionStart } from './cursor.js'
import type { FeedRequest } from './read-events.js'
import { eventTexts } from './texts.js'

export const BATCH_MEDIA_TYPE = 'application/cloudevents-batch+json'
export const STREAM_MEDIA_TYPE = 'text/event-stream'

/** Maximum events of a response, and the default. */
const MAX_EVENTS = 1000

/** Maximum seconds of a wait. The wait also ends before the deadline of the request. */
const MAX_WAIT_S = 30

export const FeedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({ description: 'Cursor, from a Link header or the id of a streamed event.' })
    ),
    types: Type.Optional(Type.String({ description: 'Types of events, comma-separated. Default: all.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_EVENTS, description: 'Maximum number of events.' })
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_S,
        description: 'Seconds to wait for an event if there is no event yet. Default: 0.'
      })
    )
  },
  { additionalProperties: false }
)
export type FeedQuery = Static<typeof FeedQuery>

/** Ranges of `Accept` that the batch matches. Clients may also send `application/json`. */
const batchRanges = [BATCH_MEDIA_TYPE, 'application/json', 'application/*', '*/*']

/**
 * Whether the client prefers Server-Sent Events, or accepts only these. Generated clients accept
 * all documented media types, so they get the first type, the batch.
 */
export const isStream = ({ headers }: FastifyRequest): boolean =>
  acceptedRanges(headers.accept).find(
    (range) => range === STREAM_MEDIA_TYPE || batchRanges.includes(range)
  ) === STREAM_MEDIA_TYPE

/**
 * Parses a request for events. A stream continues after its `Last-Event-ID`, which is newer than
 * the `after` of the first connection.
 * @throws Problem `invalid-query`, `cursor-too-old`.
 */
export function parseFeedRequest(ports: FeedPorts, api: EventApi, request: FastifyRequest): FeedRequest {
  const query = request.query as FeedQuery
  const lastEventId = isStream(request) && request.headers['last-event-id']
  return parseFeedQuery(ports, api, lastEventId ? { ...query, after: String(lastEventId) } : query)
}

type FeedPorts = Pick<Ports, 'cursors' | 'limits'>

export function parseFeedQuery(
  { cursors, limits }: FeedPorts,
  api: EventApi,
  { after: cursor, types: names, limit = MAX_EVENTS }: FeedQuery
): FeedRequest {
  const since = retentionStart(limits.eventDays)
  const [types, after] = parseAll(
    () => parseTypes(api, names),
    () => (cursor === undefined ? { position: 0, at: since } : openCursor(cursors, api, cursor, since))
  )
  return { after, since, limit, types }
}

export function linkToNext(url: string, { types, limit, wait }: FeedQuery, cursor: string): string {
  const given = Object.entries({ types, limit, wait }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]]
  )
  return `<${url}?${new URLSearchParams([...given, ['after', cursor]])}>; rel="next"`
}

function parseTypes(api: EventApi, text: string | undefined): readonly string[] {
  const known: readonly string[] = eventTypes[api]
  if (text === undefined) return known
  const types = text.split(',').map((type) => type.trim())
  if (types.some((type) => !known.includes(type)))
    throw queryProblem('types', fill(eventTexts.types, { types: known.join(', ') }))
  return types
}
