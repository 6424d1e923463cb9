import type { ProblemTable } from '../errors/problem.js'
import {
  type CodesOf,
  eachSchema,
  exampleOf,
  isObject,
  type JsonRecord,
  leastExampleOf,
  toSwagger2
} from '../json/swagger-schema.js'
import { validationCodes } from '../json/violations.js'
import { resolveExampleUrls } from '../schemas/examples.js'
import { FieldProblem, ProblemBody } from '../schemas/problem-body.js'
import { hoistDefinitions } from './definitions.js'
import { type DescribedOperation, problemTable, responsesOf } from './responses.js'

export interface DocumentOptions {
  /** Prefix of the routes, which the paths of the document omit. */
  prefix: string
  /** Descriptions of the tags. */
  tags: ReadonlyMap<string, string>
  /** Every problem code of the service. */
  problems: ProblemTable
  /** The URL of a problem's page, without its code. */
  problemBase: string
  /** The codes of a closed value set. */
  codesOf: CodesOf
  /** Base URLs by the placeholders of examples. */
  exampleBaseUrls: Readonly<Record<string, string>>
  /** Whether responses carry an `ETag`. */
  hasEtags: boolean
}

interface Operation extends DescribedOperation {
  'x-codes': readonly string[]
}
type Paths = Record<string, Record<string, Operation>>

/** Problem codes of requests that are refused before routing. */
const GENERAL_CODES = [
  'bad-request',
  'incomplete-request',
  'method-not-allowed',
  'request-timeout',
  'query-too-long',
  'expectation-failed',
  'headers-too-large',
  'malformed-text',
  'not-implemented',
  'http-version-not-supported'
]

/** Converts the document of an API to OpenAPI 2.0 and adds the responses of its problem codes. */
export function finishDocument(document: JsonRecord, options: DocumentOptions): JsonRecord {
  const { prefix, tags, problems, codesOf, exampleBaseUrls } = options
  const codes = new Set(GENERAL_CODES)
  const paths: JsonRecord = Object.fromEntries(
    Object.entries(toSwagger2(document.paths, codesOf) as Paths).map(([path, item]) => [
      path.replace(prefix, '') || '/',
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => {
          for (const code of operation['x-codes']) codes.add(code)
          return [method, completeOperation(operation, method, options)]
        })
      )
    ])
  )
  const info = document.info as { description: string }
  const description = `${info.description}\n\n${problemTable(problems, codes)}`
  return resolveExampleUrls(
    {
      ...document,
      info: { ...info, description },
      tags: [...tags].map(([name, description]) => ({ name, description })),
      ...hoistDefinitions(withProblemCodes(paths, [...codes].sort()))
    },
    exampleBaseUrls
  )
}

function completeOperation(
  { 'x-codes': codes, ...operation }: Operation,
  method: string,
  { problems, hasEtags, problemBase }: DocumentOptions
): JsonRecord {
  const hasEtag = hasEtags && method === 'get'
  const parameters = [
    ...(operation.parameters ?? []).map((each) => parameter(each, method)),
    ...(hasEtag ? [ifNoneMatch] : [])
  ]
  return {
    ...operation,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: responsesOf(operation, method, { hasEtag, codes, problems, problemBase })
  }
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  type: 'string',
  required: false,
  description: '`ETag` of an earlier response. While nothing has changed, the response is 304 without a body.'
}

/** Lists the codes of the document in the body of problems. */
const withProblemCodes = (paths: JsonRecord, codes: readonly string[]) =>
  eachSchema(paths, (schema) => {
    if (schema.title !== ProblemBody.title && schema.title !== FieldProblem.title) return schema
    const { code, ...others } = schema.properties as Record<string, JsonRecord>
    const all = schema.title === FieldProblem.title ? [...codes, ...validationCodes] : codes
    return { ...schema, properties: { ...others, code: { ...code, enum: all } } }
  })

/**
 * Removes examples, except for the body: OpenAPI 2.0 allows no other. What a body creates is shown
 * with what is required.
 */
function parameter({ example: _, ...given }: JsonRecord, method: string): JsonRecord {
  if (given.in !== 'body' || !isObject(given.schema)) return given
  const { 'x-example-members': __, ...schema } = given.schema
  const example = method === 'post' ? leastExampleOf(given.schema) : exampleOf(schema)
  return { ...given, required: true, schema: { ...schema, example } }
}
