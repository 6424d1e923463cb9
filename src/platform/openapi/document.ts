import type { ProblemTable } from '../errors/problem.js'
import { type CodesOf, eachSchema, type JsonRecord } from '../json/swagger-schema.js'
import { validationCodes } from '../json/violations.js'
import { resolveExampleUrls } from '../schemas/examples.js'
import { FieldProblem, ProblemBody } from '../schemas/problem-body.js'
import { hoistDefinitions } from './definitions.js'
import { type DescribedOperation, problemTable, responsesOf } from './responses.js'
import type { OpenApiVersion } from './versions.js'

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

type Paths = Record<string, Record<string, JsonRecord>>

/** Problem codes of requests that are refused before routing. */
const GENERAL_CODES = [
  'bad-request',
  'incomplete-request',
  'method-not-allowed',
  'request-timeout',
  'query-too-long',
  'expectation-failed',
  'misdirected-request',
  'headers-too-large',
  'malformed-text',
  'not-implemented',
  'http-version-not-supported'
]

/** Converts the document of an API to a version of OpenAPI, with responses for its problems. */
export function finishDocument(
  document: JsonRecord,
  version: OpenApiVersion,
  options: DocumentOptions
): JsonRecord {
  const { prefix, tags, problems, codesOf, exampleBaseUrls } = options
  const codes = new Set(GENERAL_CODES)
  const paths: JsonRecord = Object.fromEntries(
    Object.entries(version.convert(document.paths, codesOf) as Paths).map(([path, item]) => [
      path.replace(prefix, '') || '/',
      Object.fromEntries(
        Object.entries(item).map(([method, given]) => {
          const { 'x-codes': own, ...operation } = version.read(given)
          for (const code of own as string[]) codes.add(code)
          return [
            method,
            version.write(completeOperation(operation, own as string[], method, options), method)
          ]
        })
      )
    ])
  )
  const info = document.info as { description: string }
  const description = `${info.description}\n\n${problemTable(problems, codes)}`
  const hoisted = hoistDefinitions(withProblemCodes(paths, [...codes].sort()), version)
  return resolveExampleUrls(
    {
      ...document,
      info: { ...info, description },
      tags: [...tags].map(([name, description]) => ({ name, description })),
      paths: hoisted.paths,
      ...version.place(hoisted.definitions, document)
    },
    exampleBaseUrls
  )
}

function completeOperation(
  operation: DescribedOperation,
  codes: readonly string[],
  method: string,
  { problems, hasEtags, problemBase }: DocumentOptions
): DescribedOperation {
  const hasEtag = hasEtags && method === 'get'
  const parameters = [...(operation.parameters ?? []), ...(hasEtag ? [ifNoneMatch] : [])]
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
