import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type DocumentOptions, finishDocument } from './document.js'
import { describeOperation } from './operation.js'
import type { Json } from './swagger-schema.js'
import { apiRules, unwrapped } from './text.js'

export interface ApiDocument extends Omit<DocumentOptions, 'prefix' | 'tags'> {
  title: string
  description: string
  /** Base address of the API, as clients call it. */
  baseUrl: string
}

/** What the pages may load: themselves, and nothing from elsewhere. */
const pagesPolicy = {
  'default-src': ["'self'"],
  'base-uri': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'style-src': ["'self'", "'unsafe-inline'"]
}

/**
 * Documents the routes of the API's scope as OpenAPI 2.0 (version 1.0.0 of the interface), made from the same schemas that
 * validate and the same access rules that are enforced: the document at `openapi.json`, pages to read and try it at `docs`.
 */
export const openapi = fp<ApiDocument>(
  async (app: FastifyInstance, { title, description, baseUrl, ...options }) => {
    const tags = new Map<string, string>()
    await app.register(swagger, {
      swagger: headOf(title, unwrapped(`${description}\n\n${apiRules}`), baseUrl),
      stripBasePath: false,
      transform: ({ schema, url, route: { config = {} } }) => {
        const [tag] = schema?.tags ?? []
        if (config.doc && tag !== undefined) tags.set(tag, config.doc.tagDescription)
        return { schema: describeOperation(schema, config), url }
      },
      transformObject: (document) =>
        finishDocument('swaggerObject' in document ? (document.swaggerObject as Json) : {}, {
          ...options,
          tags,
          prefix: app.prefix
        })
    })
    // The pages' own routes come without an access rule; they hold nothing but documentation.
    app.addHook('onRoute', (route) => {
      if (route.url.startsWith(`${app.prefix}/docs`)) route.config = { ...route.config, access: 'public' }
    })
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: pagesPolicy,
      uiHooks: { onRequest: withSlash },
      transformSpecification: (document, request) => asLoaded(document, request),
      theme: { title },
      uiConfig: {
        layout: 'BaseLayout',
        displayRequestDuration: true,
        defaultModelsExpandDepth: 0,
        tryItOutEnabled: true
      }
    })
    app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () =>
      app.swagger()
    )
  },
  { name: 'openapi' }
)

/** The document's head: what the API is, where it is, and the token that it asks for. */
function headOf(title: string, description: string, baseUrl: string) {
  const { host, protocol, pathname } = new URL(baseUrl)
  return {
    info: {
      title,
      description,
      version: '1.0.0',
      contact: { name: title, url: `${baseUrl}/docs` },
      license: { name: 'MIT' }
    },
    host,
    basePath: pathname,
    schemes: [protocol.slice(0, -1) as 'http' | 'https'],
    consumes: ['application/json'],
    produces: ['application/json'],
    securityDefinitions: {
      token: {
        type: 'apiKey' as const,
        in: 'header',
        name: 'authorization',
        description: 'A JSON Web Token, bare or after `Bearer `.'
      }
    }
  }
}

/** The page finds its parts beside it, whatever the form of the address, once that ends with a slash. */
async function withSlash({ originalUrl }: FastifyRequest, reply: FastifyReply) {
  if (/\/docs(\?|$)/.test(originalUrl)) return reply.redirect('docs/')
}

/** The document for its page: calls go to where the page was loaded from, under whatever name or form of address. */
function asLoaded({ host: _, schemes: __, ...document }: Json, { originalUrl }: FastifyRequest): Json {
  return { ...document, basePath: originalUrl.replace(/\/docs\/.*$/, '') }
}
