import { type CodesOf, exampleOf, type JsonRecord, swagger2Schema } from '../json/swagger-schema.js'
import { type ApiDescription, pathsOf, securityScheme } from './document.js'
import type { ApiInput, ApiResponse } from './operation.js'
import { DocumentSchemas, mapValues, withBodyExample } from './schemas.js'

/** Writes the document of an API in OpenAPI 2.0. */
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
