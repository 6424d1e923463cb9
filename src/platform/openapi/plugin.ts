import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import type { JsonRecord } from '../json/swagger-schema.js'
import { projectRoot } from '../util/project-root.js'
import { readCodeSamples } from './code-samples.js'
import { type DocumentOptions, finishDocument } from './document.js'
import { documentRoute, JSON_MEDIA_TYPE } from './document-route.js'
import { describeOperation } from './operation.js'
import { apiRules, unwrapped } from './text.js'
import { openApi20, openApi31 } from './versions.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The document of the API in OpenAPI 3.1. */
    openapi31: () => object
  }
}

export interface OpenApiOptions extends Omit<DocumentOptions, 'prefix' | 'tags' | 'problemBase'> {
  title: string
  description: string
  /** Base URL of the API for clients. */
  baseUrl: string
  /** Whether the page keeps tokens in the browser: only those that are not secret. */
  keepsTokens: boolean
}

const FOLDER = join(projectRoot, 'src', 'platform', 'openapi', 'page')

/** An uncompiled file that the page loads besides those of Swagger UI. */
const pageFile = (filename: string) => ({ filename, content: readFileSync(join(FOLDER, filename), 'utf8') })

/** Content security policy of the pages: nothing from other origins. */
const contentSecurityPolicy = {
  'default-src': ["'self'"],
  'base-uri': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
  'style-src': ["'self'", "'unsafe-inline'"]
}

/**
 * Documents the routes of an API as OpenAPI 2.0 and 3.1, from the schemas that validate and the
 * access rules that are enforced. Serves the documents at `openapi.json` and `openapi-3.1.json`,
 * and Swagger UI at `docs`.
 */
export const openapi = fp<OpenApiOptions>(
  async (app: FastifyInstance, { title, description, baseUrl, keepsTokens, ...options }) => {
    const tags = new Map<string, string>()
    const samples = readCodeSamples()
    const common: Omit<FastifyDynamicSwaggerOptions, 'swagger' | 'openapi'> = {
      stripBasePath: false,
      transform: ({ schema, url, route: { config = {}, method } }) => {
        const [tag] = schema?.tags ?? []
        if (config.doc && tag !== undefined) tags.set(tag, config.doc.tagDescription)
        return {
          schema: describeOperation(schema, { ...config, isPost: method === 'POST', samples }),
          url: config.doc?.hasSlash ? `${url}/` : url
        }
      },
      transformObject(document) {
        const all = { ...options, problemBase: app.problemBase, tags, prefix: app.prefix }
        return 'swaggerObject' in document
          ? finishDocument(document.swaggerObject as JsonRecord, openApi20, all)
          : finishDocument(document.openapiObject as JsonRecord, openApi31, all)
      }
    }
    const rules = unwrapped(`${description}\n\n${apiRules}`)
    await app.register(swagger, {
      swagger: headOf(title, rules, baseUrl),
      ...common
    })
    await app.register(swagger, {
      openapi: headOf31(title, rules, baseUrl),
      decorator: 'openapi31',
      ...common
    })
    await app.register(async (page) => {
      // All routes of this scope are those of Swagger UI, which have no access rule.
      page.addHook('onRoute', (route) => {
        route.config = { ...route.config, access: 'public' }
        if (route.url === `${app.prefix}/docs/json`) route.handler = sendAtRequestedUrl(app)
      })
      await page.register(swaggerUi, {
        routePrefix: '/docs',
        staticCSP: contentSecurityPolicy,
        uiHooks: { onRequest: redirectToSlash },
        theme: { title, css: [pageFile('page.css')], js: [pageFile('page.js')] },
        uiConfig: {
          layout: 'BaseLayout',
          displayRequestDuration: true,
          persistAuthorization: keepsTokens,
          defaultModelsExpandDepth: 0,
          tryItOutEnabled: true
        }
      })
    })
    documentRoute(app, '/openapi.json', () => app.swagger())
    documentRoute(app, '/openapi-3.1.json', () => app.openapi31())
  },
  { name: 'openapi' }
)

/** Title and description of the document. */
const infoOf = (title: string, description: string, baseUrl: string) => ({
  title,
  description,
  version: '1.0.0',
  contact: { name: title, url: `${baseUrl}/docs` },
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' }
})

/** How requests carry their token. */
export const securityScheme = {
  type: 'apiKey' as const,
  in: 'header',
  name: 'authorization',
  description: 'A JSON Web Token, bare or after `Bearer `.'
}

/** The head of the document in OpenAPI 3.1. */
const headOf31 = (title: string, description: string, baseUrl: string) => ({
  openapi: '3.1.0',
  info: infoOf(title, description, baseUrl),
  servers: [{ url: baseUrl }],
  components: { securitySchemes: { token: securityScheme } }
})

/** The head of the document in OpenAPI 2.0: title, URL and security definition. */
function headOf(title: string, description: string, baseUrl: string) {
  const { host, protocol, pathname } = new URL(baseUrl)
  return {
    info: infoOf(title, description, baseUrl),
    host,
    basePath: pathname,
    schemes: [protocol.slice(0, -1) as 'http' | 'https'],
    consumes: ['application/json'],
    produces: ['application/json'],
    securityDefinitions: {
      token: securityScheme
    }
  }
}

/** The page loads its files by relative URLs, which need the trailing slash. */
async function redirectToSlash({ originalUrl }: FastifyRequest, reply: FastifyReply) {
  if (/\/docs(\?|$)/.test(originalUrl)) return reply.redirect('docs/')
}

/**
 * Makes the page call the API at the origin and base path that the page was loaded from. The
 * plugin would copy and serialize the document for each request.
 */
function sendAtRequestedUrl(app: FastifyInstance): RouteHandlerMethod {
  let members: Buffer | undefined
  return async ({ originalUrl }, reply) => {
    members ??= Buffer.from(JSON.stringify(withoutAddress(app.swagger() as JsonRecord)))
    const basePath = JSON.stringify(originalUrl.replace(/\/docs\/.*$/, ''))
    const start = Buffer.from(`{"basePath":${basePath},`)
    return reply.type(JSON_MEDIA_TYPE).send(Buffer.concat([start, members.subarray('{'.length)]))
  }
}

const withoutAddress = ({ host: _, schemes: __, basePath: ___, ...members }: JsonRecord) => members
