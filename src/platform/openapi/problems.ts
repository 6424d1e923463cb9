import { STATUS_CODES } from 'node:http'
import type { ProblemTable, ProblemTexts } from '../errors/problem.js'
import type { JsonRecord } from '../json/swagger-schema.js'
import { validationCodes } from '../json/violations.js'
import { FieldProblem, ProblemBody } from '../schemas/problem-body.js'
import { responseHeaders } from './headers.js'
import { type DocumentedRoute, isRepeatable } from './route-doc.js'
import { markdownTable } from './text.js'

/** Problem codes of requests that are rejected before routing. */
export const GENERAL_CODES: readonly string[] = [
  ...['bad-request', 'incomplete-request', 'method-not-allowed', 'request-timeout', 'query-too-long'],
  ...['expectation-failed', 'misdirected-request', 'headers-too-large', 'malformed-text'],
  ...['not-implemented', 'http-version-not-supported']
]

/** Problem codes of every operation with a token. */
const COMMON_CODES: readonly string[] = [
  ...['unauthorized', 'forbidden', 'organization-replaced', 'too-many-requests'],
  ...['internal-error', 'database-unavailable', 'busy']
]

export function codesOf(route: DocumentedRoute): string[] {
  const { schema, config } = route
  const { access, isSearch, doc } = config
  const codes = [
    ...(schema.body ? ['invalid-body', 'malformed-json'] : []),
    ...(schema.body || doc.upload !== undefined ? ['payload-too-large', 'unsupported-media-type'] : []),
    'invalid-query',
    'malformed-text',
    ...(schema.params ? ['not-found'] : []),
    ...COMMON_CODES,
    ...(access.permission.endsWith('.read') || isSearch ? [] : ['outcome-unknown']),
    // A repeat gets 404 when the caller no longer sees the resource of the first request.
    ...(isRepeatable(route) ? ['invalid-idempotency-key', 'idempotency-key-reused', 'not-found'] : []),
    ...(doc.isConditional ? ['precondition-failed'] : []),
    'token-issuer-unavailable',
    ...(doc.errors ?? [])
  ]
  return [...new Set(codes)]
}

/**
 * One response per status of problem codes. `base` is the URL of a problem's page without its code.
 */
export function problemResponses(
  codes: readonly string[],
  problems: ProblemTable,
  base: string,
  schema: JsonRecord
) {
  const rows = codes.map((code) => rowOf(problems, code))
  const responses = [...new Set(rows.map(({ status }) => status))].map((status) => {
    const own = rows.filter((row) => row.status === status).map(({ code }) => code)
    return [
      status,
      {
        description: `${STATUS_CODES[status]}: ${own.map((code) => `\`${code}\``).join(', ')}.`,
        headers: responseHeaders({
          'WWW-Authenticate': status === 401,
          'Retry-After': [429, 503].includes(status)
        }),
        schema,
        example: exampleProblem(rowOf(problems, own[0] ?? ''), base),
        'x-codes': own
      }
    ]
  })
  return Object.fromEntries(responses)
}

const exampleProblem = ({ code, status, title, remedy }: ProblemRow, base: string) => ({
  type: `${base}${code}`,
  title: title.en,
  status,
  detail: remedy.en,
  instance: 'd2e70bda-f0e4-4152-a9f9-e8eba34d62d6',
  code
})

export function problemTable(problems: ProblemTable, codes: readonly string[]): string {
  const rows = codes
    .map((code) => rowOf(problems, code))
    .sort((one, other) => one.status - other.status || (one.code < other.code ? -1 : 1))
    .map(({ code, status, title }) => [`\`${code}\``, String(status), title.en])
  return markdownTable(['code', 'status', 'meaning'], rows)
}

export function problemBodyOf(codes: readonly string[]): JsonRecord {
  const { code, errors } = ProblemBody.properties
  const { properties } = FieldProblem
  const fieldCode = { ...properties.code, enum: [...codes, ...validationCodes] }
  const field = { ...FieldProblem, properties: { ...properties, code: fieldCode } }
  return {
    ...ProblemBody,
    properties: {
      ...ProblemBody.properties,
      code: { ...code, enum: codes },
      errors: { ...errors, items: field }
    }
  }
}

interface ProblemRow extends ProblemTexts {
  code: string
}

function rowOf(problems: ProblemTable, code: string): ProblemRow {
  const row = problems[code]
  if (!row) throw new Error(`No problem has the code ${code}`)
  return { code, ...row }
}
