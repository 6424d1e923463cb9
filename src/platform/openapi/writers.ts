import { openApi31Schema } from '../json/json-schema.js'
import { type CodesOf, exampleOf, type JsonRecord, swagger2Schema } from '../json/swagger-schema.js'
import type { ApiInput, ApiOperation, ApiResponse } from './operation.js'
import { DocumentSchemas, mapValues, withBodyExample } from './schemas.js'

/** An API, which a document of any version describes. */
export interface ApiDescription {
  info: JsonRecord
  baseUrl: string
  tags: readonly JsonRecord[]
  operations: readonly ApiOperation[]
}

export const securityScheme = {
  type: 'apiKey' as const,
  in: 'header',
  name: 'authorization',
  description: 'A JSON Web Token, bare or after `Bearer `.'
}

export function openApi20(api: ApiDescription, codesOf: CodesOf): JsonRecord {
  const schemas = new DocumentSchemas({
    convert: (schema) => swagger2Schema(schema, codesOf),
    refer(title, own) {
      const reference = { $ref: `#/definitions/${title}` }
      return Object.keys(own).length === 0 ? reference : { ...own, allOf: [reference] }
    }
  })

  /** Only the body may have an example. */
  function parameter({ schema, ...input }: ApiInput, method: string): JsonRecord {
    const { example: _, ...converted } = schemas.convert(schema)
    const { description } = schema
    if (input.in === 'form') return { ...input, in: 'formData', type: 'file', description }
    if (input.in !== 'body') return { ...converted, ...input }
    return { ...input, description, schema: schemas.hoist(withBodyExample(schemas.convert(schema), method)) }
  }

  function response({ schema, example, ...others }: ApiResponse): JsonRecord {
    if (!schema) return others
    const converted = schemas.convert(schema)
    const examples = { 'application/json': example ?? exampleOf(converted) }
    return { ...others, schema: schemas.hoist(converted), examples }
  }

  const paths = pathsOf(api, ({ method, members, inputs, consumes, produces, responses }) => ({
    ...members,
    ...(consumes && { consumes }),
    ...(produces && { produces }),
    ...(inputs.length > 0 && { parameters: inputs.map((each) => parameter(each, method)) }),
    responses: mapValues(responses, response)
  }))
  const { host, protocol, pathname } = new URL(api.baseUrl)
  return {
    swagger: '2.0',
    info: api.info,
    host,
    schemes: [protocol.slice(0, -1)],
    basePath: pathname,
    consumes: ['application/json'],
    produces: ['application/json'],
    securityDefinitions: { token: securityScheme },
    tags: api.tags,
    paths,
    definitions: schemas.definitions()
  }
}

const JSON_TYPES: readonly string[] = ['application/json']
const PROBLEM_TYPES = ['application/json', 'application/problem+json']

export function openApi31(api: ApiDescription, codesOf: CodesOf): JsonRecord {
  const schemas = new DocumentSchemas({
    convert: (schema) => openApi31Schema(schema, codesOf),
    refer: (title, own) => ({ $ref: `#/components/schemas/${title}`, ...own })
  })

  function parameter({ schema, ...input }: ApiInput): JsonRecord {
    const { description, ...converted } = schemas.convert(schema)
    return { ...input, description, schema: schemas.hoist(converted) }
  }

  function requestBody(
    { in: place, name, schema }: ApiInput,
    types = JSON_TYPES,
    method: string
  ): JsonRecord {
    if (place === 'form') {
      const form = { type: 'object', required: [name], properties: { [name]: schema } }
      return { required: true, content: contentOf(types, { schema: form }) }
    }
    const body = schemas.hoist(withBodyExample(schemas.convert(schema), method))
    return { description: schema.description, required: true, content: contentOf(types, { schema: body }) }
  }

  function response(
    { schema, example, headers, ...others }: ApiResponse,
    types: readonly string[]
  ): JsonRecord {
    const written = {
      ...others,
      headers: mapValues(headers, ({ type, ...header }) => ({ ...header, schema: { type } }))
    }
    if (!schema) return written
    const converted = schemas.convert(schema)
    const media = { schema: schemas.hoist(converted), example: example ?? exampleOf(converted) }
    return { ...written, content: contentOf(types, media) }
  }

  const paths = pathsOf(api, ({ method, members, inputs, consumes, produces = JSON_TYPES, responses }) => {
    const body = inputs.find((each) => each.in === 'body' || each.in === 'form')
    const parameters = inputs.filter((each) => each !== body)
    return {
      ...members,
      ...(parameters.length > 0 && { parameters: parameters.map(parameter) }),
      ...(body && { requestBody: requestBody(body, consumes, method) }),
      responses: mapValues(responses, (each, status) =>
        response(each, status < '400' ? produces : PROBLEM_TYPES)
      )
    }
  })
  return {
    openapi: '3.1.0',
    info: api.info,
    servers: [{ url: api.baseUrl }],
    tags: api.tags,
    paths,
    components: { securitySchemes: { token: securityScheme }, schemas: schemas.definitions() }
  }
}

/** The same content in each media type. */
const contentOf = (types: readonly string[], content: JsonRecord): JsonRecord =>
  Object.fromEntries(types.map((type) => [type, content]))

function pathsOf(
  { operations }: ApiDescription,
  write: (operation: ApiOperation) => JsonRecord
): Record<string, JsonRecord> {
  const paths: Record<string, JsonRecord> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: write(operation) }
  }
  return paths
}
