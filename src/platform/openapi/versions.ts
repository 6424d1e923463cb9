import { toOpenApi31 } from '../json/json-schema.js'
import { exampleOf, isObject, type JsonRecord, leastExampleOf, toSwagger2 } from '../json/swagger-schema.js'
import type { DescribedOperation } from './responses.js'

/** What differs between two versions of OpenAPI. The rest works on operations as in version 2.0. */
export interface OpenApiVersion {
  convert: typeof toSwagger2
  /** The members of the document that hold the schemas with a title. */
  place: (definitions: JsonRecord, document: JsonRecord) => JsonRecord
  /** A reference to one of them, with members of its own beside it. */
  refer: (title: string, own: JsonRecord) => JsonRecord
  /** An operation of `@fastify/swagger`, with the schemas of its responses in `schema`. */
  read: (operation: JsonRecord) => DescribedOperation
  /** A complete operation of this version. */
  write: (operation: DescribedOperation, method: string) => JsonRecord
}

export const openApi20: OpenApiVersion = {
  convert: toSwagger2,
  place: (definitions) => ({ definitions }),
  refer(title, own) {
    const reference = { $ref: `#/definitions/${title}` }
    return Object.keys(own).length === 0 ? reference : { ...own, allOf: [reference] }
  },
  read: (operation) => operation as DescribedOperation,
  write: (operation, method) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((each) => withBodyExample(each, method))
    })
  })
}

/** Removes examples, except for the body: OpenAPI 2.0 allows no other. */
function withBodyExample({ example: _, ...parameter }: JsonRecord, method: string): JsonRecord {
  if (parameter.in !== 'body' || !isObject(parameter.schema)) return parameter
  return { ...parameter, required: true, schema: bodySchema(parameter.schema, method) }
}

/** The schema of a body with an example. What a POST creates is shown with what is required. */
function bodySchema(given: JsonRecord, method: string): JsonRecord {
  const { 'x-example-members': _, ...schema } = given
  return { ...schema, example: method === 'post' ? leastExampleOf(given) : exampleOf(schema) }
}

type Content = Readonly<Record<string, { schema: JsonRecord }>>

export const openApi31: OpenApiVersion = {
  convert: toOpenApi31,
  place: (schemas, { components }) => ({ components: { ...(components as object), schemas } }),
  refer: (title, own) => ({ $ref: `#/components/schemas/${title}`, ...own }),
  read(operation) {
    const given = operation.responses as Record<string, { content?: Content }>
    const contents = Object.values(given).flatMap(({ content }) => (content ? [content] : []))
    const responses = mapValues(given, ({ content = {}, ...response }) => ({
      ...response,
      ...Object.values(content)[0]
    }))
    return { ...operation, responses, produces: Object.keys(contents[0] ?? {}) }
  },
  write: ({ parameters, requestBody, responses, produces, ...operation }, method) => ({
    ...operation,
    ...(parameters && { parameters: parameters.map(withSchema) }),
    ...(isObject(requestBody) && {
      requestBody: {
        ...requestBody,
        content: mapValues(requestBody.content as Content, ({ schema }, type) => ({
          schema: type.includes('json') ? bodySchema(schema, method) : schema
        }))
      }
    }),
    responses: mapValues(responses, (response, status) =>
      response31(response, status < '400' ? (produces as string[]) : PROBLEM_TYPES)
    )
  })
}

const PROBLEM_TYPES = ['application/json', 'application/problem+json']

/** A parameter or a header, whose type is in a schema. */
const withSchema = ({ type, ...parameter }: JsonRecord): JsonRecord =>
  type === undefined ? parameter : { ...parameter, schema: { type } }

/** A response whose schema and example are the same in each media type. */
function response31({ schema, headers, examples, ...response }: JsonRecord, types: string[]): JsonRecord {
  const [example] = Object.values((examples ?? {}) as JsonRecord)
  const media = { schema, ...(example === undefined ? {} : { example }) }
  return {
    ...response,
    headers: mapValues(headers as Record<string, JsonRecord>, withSchema),
    ...(schema ? { content: Object.fromEntries(types.map((type) => [type, media])) } : {})
  }
}

const mapValues = <T, R>(record: Readonly<Record<string, T>>, map: (value: T, name: string) => R) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)])) as Record<
    string,
    R
  >
