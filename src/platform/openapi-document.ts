import { answers } from './openapi-answers.js'
import { hoisted } from './openapi-definitions.js'
import type { RouteNotes } from './openapi-operation.js'
import { problemTable } from './openapi-problems.js'
import { exampleOf, isObject, type Json, toSwagger2 } from './openapi-schema.js'
import type { ProblemTable } from './problem.js'
import { placed } from './samples.js'

export interface Finishing {
  /** What the paths of the routes begin with, and those of the document do not. */
  prefix: string
  /** Every code that there is. */
  problems: ProblemTable
  /** Base addresses by the places that examples name. */
  places: Readonly<Record<string, string>>
  /** Whether answers carry an `ETag`. */
  revalidated: boolean
}

interface Operation extends Json {
  tags: string[]
  parameters?: Json[]
  responses: Record<string, Json>
  'x-access': { permission: string }
  'x-notes': RouteNotes
}
type Paths = Record<string, Record<string, Operation>>

/** Codes of what is refused before it is known which operation is called. */
const general = [
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

/** Finishes the document of an API: OpenAPI 2.0 alone, answers and examples complete, shared schemas among the definitions. */
export function finished(document: Json, finishing: Finishing): Json {
  const paths = toSwagger2(document.paths) as Paths
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const info = document.info as { description: string }
  const codes = operations.flatMap((operation) => operation['x-notes'].codes)
  const table = problemTable(finishing.problems, [...general, ...codes])
  return placed(
    {
      ...document,
      info: { ...info, description: `${info.description}\n\n${table}` },
      tags: tagsOf(operations),
      ...hoisted(
        mapped(paths, (item, path) => [
          path.replace(finishing.prefix, '') || '/',
          mapped(item, (operation, method) => [method, complete(operation, method, finishing)])
        ])
      )
    },
    finishing.places
  )
}

const mapped = <T, R>(members: Record<string, T>, change: (value: T, name: string) => [string, R]) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => change(value, name)))

function tagsOf(operations: readonly Operation[]): Json[] {
  const tags = new Map(operations.flatMap((each) => each.tags.map((tag) => [tag, each['x-notes'].tag])))
  return [...tags].map(([name, description]) => ({ name, description }))
}

function complete(
  { 'x-notes': { codes }, ...operation }: Operation,
  method: string,
  { problems, revalidated }: Finishing
): Json {
  const hints = { permission: operation['x-access'].permission, ...pointersOf(operation) }
  const parameters = [
    ...(operation.parameters ?? []).map(parameter),
    ...(revalidated && method === 'get' ? [ifNoneMatch] : [])
  ]
  return {
    ...operation,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: toSwagger2(answers(operation.responses, { method, codes, hints, problems, revalidated }))
  }
}

/** Pointers to the first member that the body of an operation must have, and to its first reference: a member that is an address. */
function pointersOf({ parameters = [] }: Pick<Operation, 'parameters'>) {
  const body = parameters.find((each) => each.in === 'body')?.schema as BodySchema | undefined
  const { required = [], properties = {} } = body?.items ?? body ?? {}
  const at = (member = '') => `${body?.items ? '/0' : ''}/${member}`
  const reference = required.find((name) => isAddress(properties[name]?.example))
  return { required: at(required[0]), reference: at(reference) }
}

const isAddress = (example: unknown) => typeof example === 'string' && example.includes('/')

interface BodySchema {
  required?: string[]
  properties?: Record<string, { example?: unknown }>
  items?: BodySchema
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  type: 'string',
  required: false,
  description: 'The `ETag` of an earlier answer: while nothing changed, the answer is 304 without a body.'
}

/** A parameter; OpenAPI 2.0 lets the body alone have an example. */
function parameter({ example: _, ...given }: Json): Json {
  if (given.in !== 'body' || !isObject(given.schema)) return given
  return { ...given, required: true, schema: { ...given.schema, example: exampleOf(given.schema) } }
}
