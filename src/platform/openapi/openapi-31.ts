import { openApi31Schema } from '../json/json-schema.js'
import { type CodesOf, exampleOf, type JsonRecord } from '../json/swagger-schema.js'
import { type ApiDescription, pathsOf, securityScheme } from './document.js'
import type { ApiInput, ApiResponse } from './operation.js'
import { DocumentSchemas, mapValues, withBodyExample } from './schemas.js'

const JSON_TYPES: readonly string[] = ['application/json']
const PROBLEM_TYPES = ['application/json', 'application/problem+json']

/** Writes the document of an API in OpenAPI 3.1. */
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
