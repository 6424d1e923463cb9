import { STATUS_CODES } from 'node:http'
import type { ProblemTable, ProblemTexts } from '../errors/problem.js'
import { exampleOf, type JsonRecord } from '../json/swagger-schema.js'
import { ProblemBody } from '../schemas/problem-body.js'
import { markdownTable } from './text.js'

const HEADERS = {
  Location: { type: 'string', description: 'Fully qualified URL of the created resource.' },
  Link: {
    type: 'string',
    description:
      'URL of the next page (RFC 8288): `<URL>; rel="next"`. Absent on the last page; a feed of events always has it.'
  },
  'X-Total-Count': {
    type: 'string',
    description: 'With `count=true`: the entries of all pages, exact up to 10,000, then `10000+`.'
  },
  'X-Updated-Until': {
    type: 'string',
    description: 'With `updatedSince`: nothing that changed before this time can still appear.'
  },
  ETag: {
    type: 'string',
    description: 'Entity tag of the response, for `If-None-Match`; that of a resource also for `If-Match`.'
  },
  'Preference-Applied': {
    type: 'string',
    description: '`return=representation` if the response has the resource. Otherwise it has no body.'
  },
  'WWW-Authenticate': { type: 'string', description: 'The required scheme: `Bearer`.' },
  'Retry-After': { type: 'integer', description: 'Seconds until a retry is worthwhile.' },
  'X-Request-Id': {
    type: 'string',
    description: 'Id of the request, as in the log. The id of the request header, if it was sent.'
  }
}

/** The headers whose condition is true, and `X-Request-Id`. */
const headers = (conditions: Partial<Record<keyof typeof HEADERS, boolean>>) =>
  Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => ({ ...conditions, 'X-Request-Id': true })[name])
  )

/** An operation of the document, whose responses have only their schemas. */
export interface DescribedOperation extends JsonRecord {
  parameters?: JsonRecord[]
  responses: Record<string, JsonRecord>
}

/** What the responses of an operation depend on besides its schemas. */
interface FailureOptions {
  hasEtag: boolean
  codes: readonly string[]
  problems: ProblemTable
  /** The URL of a problem's page, without its code. */
  problemBase: string
}

/**
 * The responses of an operation: those of its schemas, and one per status of its problem codes.
 * @param options.hasEtag whether it has an `ETag` and supports `If-None-Match`.
 */
export function responsesOf(
  { parameters = [], responses }: DescribedOperation,
  method: string,
  { hasEtag, codes, problems, problemBase }: FailureOptions
): Record<string, JsonRecord> {
  const names = parameters.map(({ name }) => name)
  const isList = method === 'get' && isArray((responses[200]?.schema ?? {}) as JsonRecord)
  const isRepresentable = names.includes('Prefer')
  const successes = Object.entries(responses).map(([status, { schema, description }]) => [
    status,
    schema
      ? {
          description,
          schema,
          headers: headers({
            Link: isList,
            ETag: hasEtag || isRepresentable,
            'Preference-Applied': isRepresentable,
            'X-Total-Count': names.includes('count'),
            'X-Updated-Until': names.includes('updatedSince'),
            Location: isRepresentable && status === '201'
          }),
          examples: { 'application/json': exampleOf(schema as JsonRecord) }
        }
      : { description: STATUS_CODES[status], headers: headers({ Location: status === '201' }) }
  ])
  const failures = [...new Set(codes.map((code) => rowOf(problems, code).status))].map((status) => {
    const own = codes.filter((code) => rowOf(problems, code).status === status)
    return [
      status,
      {
        description: `${STATUS_CODES[status]}: ${own.map((code) => `\`${code}\``).join(', ')}.`,
        schema: ProblemBody,
        headers: headers({
          'WWW-Authenticate': status === 401,
          'Retry-After': [429, 503].includes(status)
        }),
        examples: { 'application/json': exampleProblem(problems, own[0] ?? '', problemBase) },
        'x-codes': own
      }
    ]
  })
  return {
    ...Object.fromEntries(successes),
    ...(hasEtag ? { 304: { description: STATUS_CODES[304], headers: headers({ ETag: true }) } } : {}),
    ...Object.fromEntries(failures)
  }
}

/** Whether values are arrays, at least in the first form. */
const isArray = ({ type, oneOf }: JsonRecord): boolean =>
  type === 'array' || (Array.isArray(oneOf) && isArray(oneOf[0]))

function exampleProblem(problems: ProblemTable, code: string, base: string): JsonRecord {
  const { status, title, remedy } = rowOf(problems, code)
  const instance = 'd2e70bda-f0e4-4152-a9f9-e8eba34d62d6'
  return { type: `${base}${code}`, title: title.en, status, detail: remedy.en, instance, code }
}

/** The table of problem codes, in Markdown. */
export function problemTable(problems: ProblemTable, codes: ReadonlySet<string>): string {
  const rows = [...codes]
    .map((code) => ({ code, ...rowOf(problems, code) }))
    .sort((one, other) => one.status - other.status || (one.code < other.code ? -1 : 1))
    .map(({ code, status, title }) => [`\`${code}\``, String(status), title.en])
  return markdownTable(['code', 'status', 'meaning'], rows)
}

function rowOf(problems: ProblemTable, code: string): ProblemTexts {
  const row = problems[code]
  if (!row) throw new Error(`No problem has the code ${code}`)
  return row
}
