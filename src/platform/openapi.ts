import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

export interface ApiDocument {
  title: string
  description: string
  /** Base address of the API, as clients call it. */
  baseUrl: string
}

/**
 * Documents the routes of the API's scope as OpenAPI 2.0 (version 1.0.0 of the interface), made from the same schemas that
 * validate: the document at `openapi.json`, pages to read and try it at `docs`.
 */
export const openapi = fp<ApiDocument>(
  async (app: FastifyInstance, { title, description, baseUrl }) => {
    const { host, protocol, pathname } = new URL(baseUrl)
    await app.register(swagger, {
      swagger: {
        info: { title, description, version: '1.0.0' },
        host,
        basePath: pathname,
        schemes: [protocol.slice(0, -1) as 'http' | 'https'],
        consumes: ['application/json'],
        produces: ['application/json'],
        securityDefinitions: {
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'authorization',
            description: 'A JWT, bare or after “Bearer ”.'
          }
        }
      },
      stripBasePath: false,
      transformObject: (document) =>
        toSwagger2(
          'swaggerObject' in document ? relative(document.swaggerObject, app.prefix) : document.openapiObject
        ) as object
    })
    // The pages' own routes come without an access rule; they hold nothing but documentation.
    app.addHook('onRoute', (route) => {
      if (route.url.startsWith(`${app.prefix}/docs`)) route.config = { ...route.config, access: 'public' }
    })
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: true,
      uiConfig: { persistAuthorization: false, docExpansion: 'list' }
    })
    app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () =>
      app.swagger()
    )
  },
  { name: 'openapi' }
)

type Json = Readonly<Record<string, unknown>>

/** Paths as clients append them to the base address. */
function relative(document: Json, prefix: string): Json {
  const paths = Object.entries((document.paths ?? {}) as Json)
  return {
    ...document,
    paths: Object.fromEntries(paths.map(([path, item]) => [path.replace(prefix, '') || '/', item]))
  }
}

/** OpenAPI 2.0 knows neither lists of types nor oneOf: a nullable type is marked, alternatives are merged. */
export function toSwagger2(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSwagger2)
  if (value === null || typeof value !== 'object') return value
  const schema = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toSwagger2(member)]))
  return merged(single(schema))
}

function single(schema: Json): Json {
  if (!Array.isArray(schema.type)) return schema
  const [type, ...others] = (schema.type as string[]).filter((name) => name !== 'null')
  const nullable = schema.type.includes('null') ? { 'x-nullable': true } : {}
  const also = others.length > 0 ? { 'x-alternative-types': others } : {}
  return { ...schema, type, ...nullable, ...also }
}

function merged(schema: Json): Json {
  const { oneOf, discriminator, ...rest } = schema
  if (!Array.isArray(oneOf)) return schema
  const alternatives = oneOf as { properties: Json; required?: string[] }[]
  const named = discriminator as { propertyName: string }
  const names = alternatives.map((each) => each.properties[named.propertyName] as { enum: string[] })
  return {
    ...rest,
    type: 'object',
    discriminator: named.propertyName,
    required: alternatives
      .map((each) => each.required ?? [])
      .reduce((all, each) => all.filter((name) => each.includes(name))),
    properties: {
      ...Object.assign({}, ...alternatives.map((each) => each.properties)),
      [named.propertyName]: { ...names[0], enum: names.flatMap((each) => each.enum) }
    }
  }
}
