import type { JsonRecord } from '../json/swagger-schema.js'
import { type DocumentedRoute, isRepeatable } from './route-doc.js'

export type HeaderSchema = Readonly<Record<'type' | 'description', string>>

const text = (description: string): HeaderSchema => ({ type: 'string', description })

const REQUEST_HEADERS: Readonly<Record<string, JsonRecord>> = {
  'Idempotency-Key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[!-~]+$',
    description:
      'A new value for each request, such as a UUID. A repeat with the same key and body within 24 hours gets the response of the first request and creates nothing.'
  },
  Prefer: text(
    'With `return=representation` the response has the resource, as GET returns it, if the caller may read it.'
  ),
  'If-Match': text(
    '`ETag` of a GET of the resource. If the resource has changed since, the response is 412 and nothing is written. Without it the last writer wins.'
  ),
  'If-None-Match': text(
    '`ETag` of an earlier response. While nothing has changed, the response is 304 without a body.'
  )
}

const RESPONSE_HEADERS = {
  Location: text('Fully qualified URL of the created resource.'),
  Link: text(
    'URL of the next page (RFC 8288): `<URL>; rel="next"`. Absent on the last page; a feed of events always has it.'
  ),
  'X-Total-Count': text('With `count=true`: the entries of all pages, exact up to 10,000, then `10000+`.'),
  'X-Updated-Until': text('With `updatedSince`: nothing that changed before this time can still appear.'),
  ETag: text('Entity tag of the response, for `If-None-Match`; the tag of a resource also for `If-Match`.'),
  'Preference-Applied': text(
    '`return=representation` if the response has the resource. Otherwise it has no body.'
  ),
  'WWW-Authenticate': text('The required scheme: `Bearer`.'),
  'Retry-After': { type: 'integer', description: 'Seconds until a retry is useful.' },
  'X-Request-Id': text('Id of the request, as in the log. The id of the request header, if it was sent.')
}

/** The request headers of a route in addition to the token. */
export const requestHeaders = (route: DocumentedRoute, hasEtag: boolean) =>
  pick(REQUEST_HEADERS, {
    'Idempotency-Key': isRepeatable(route),
    Prefer: route.config.doc.isRepresentable,
    'If-Match': route.config.doc.isConditional,
    'If-None-Match': hasEtag
  })

/** The response headers whose condition is true, and `X-Request-Id`. */
export const responseHeaders = (conditions: Partial<Record<keyof typeof RESPONSE_HEADERS, boolean>>) =>
  pick<HeaderSchema>(RESPONSE_HEADERS, { ...conditions, 'X-Request-Id': true })

const pick = <T>(table: Readonly<Record<string, T>>, wanted: Readonly<Record<string, boolean | undefined>>) =>
  Object.fromEntries(Object.entries(table).filter(([name]) => wanted[name]))
