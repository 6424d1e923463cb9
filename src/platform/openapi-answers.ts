import { byStatus, type ProblemHints, problemExample, tellingCode } from './openapi-problems.js'
import { exampleOf, type Json } from './openapi-schema.js'
import type { ProblemTable } from './problem.js'
import { ProblemBody } from './schemas.js'

const header = (type: 'string' | 'integer', description: string) => ({ type, description })

const headers = {
  Location: header('string', 'Fully qualified URL of what was created.'),
  Link: header(
    'string',
    'Where the next page is, as RFC 8288 writes it: `<URL>; rel="next"`. Absent on the last page.'
  ),
  ETag: header('string', 'Fingerprint of the answer, for `If-None-Match`.'),
  'WWW-Authenticate': header('string', 'The scheme that is asked for: `Bearer`.'),
  'Retry-After': header('integer', 'Seconds after which to try again.'),
  'X-Request-Id': header('string', 'Id of the request, as in the log; the caller’s own where it sent one.')
}
type Header = keyof typeof headers

const pick = (...names: Header[]) => Object.fromEntries(names.map((name) => [name, headers[name]]))

/** What an answer without a body means, by its status. */
const empty: Readonly<Record<string, string>> = {
  201: 'Created. Its address is in `Location`; there is no body.',
  204: 'Done; there is no body.',
  304: 'Nothing changed since the answer whose `ETag` was sent; there is no body.'
}

/** What an answer with a problem means, by its status. */
const failures: Readonly<Record<number, string>> = {
  400: 'The request does not have the form that is asked for',
  401: 'There is no valid security token',
  403: 'The token does not allow this',
  404: 'There is nothing here, or nothing within the caller’s reach',
  409: 'What is stored stands against it',
  413: 'The body is larger than allowed',
  415: 'The body has another media type, charset or content coding than is asked for',
  422: 'The request is well-formed and breaks a rule',
  429: 'The caller had its share of this minute',
  500: 'The fault is the server’s',
  503: 'Something that is needed does not answer at the moment'
}

const failureHeaders: Readonly<Record<number, Header[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After']
}

interface Wanted {
  method: string
  codes: readonly string[]
  hints: ProblemHints
  problems: ProblemTable
  revalidated: boolean
}

/** The answers of an operation: those of its schemas, explained and with examples, and a problem for each status of its codes. */
export function answers(given: Readonly<Record<string, Json>>, wanted: Wanted): Json {
  const revalidated = wanted.revalidated && wanted.method === 'get'
  const successes = Object.entries(given).map(([status, { schema, description }]) => [
    status,
    schema === undefined
      ? emptyAnswer(status)
      : {
          description,
          schema,
          headers: pick(
            ...headersOf(wanted.method, schema as Json),
            ...(revalidated ? ['ETag' as const] : [])
          ),
          examples: { 'application/json': exampleOf(schema as Json) }
        }
  ])
  return {
    ...Object.fromEntries(successes),
    ...(revalidated ? { 304: { description: empty[304], headers: pick('ETag', 'X-Request-Id') } } : {}),
    ...failuresOf(wanted)
  }
}

const emptyAnswer = (status: string) => ({
  description: empty[status],
  headers: pick(...(status === '201' ? ['Location' as const] : []), 'X-Request-Id')
})

const headersOf = (method: string, schema: Json): Header[] =>
  method === 'get' && schema.type === 'array' ? ['Link', 'X-Request-Id'] : ['X-Request-Id']

function failuresOf({ codes, problems, hints }: Wanted): Json {
  const rows = Object.entries(byStatus(problems, codes)).map(([status, each]) => [
    status,
    {
      description: `${failures[Number(status)]}: ${each.map((code) => `\`${code}\``).join(', ')}.`,
      schema: ProblemBody,
      headers: pick(...(failureHeaders[Number(status)] ?? []), 'X-Request-Id'),
      examples: { 'application/json': problemExample(problems, tellingCode(each), hints) },
      'x-codes': each
    }
  ])
  return Object.fromEntries(rows)
}
