import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { entityTag } from '../headers/entity-tags.js'
import type { JsonRecord } from '../json/swagger-schema.js'

const JSON_MEDIA_TYPE = 'application/json; charset=utf-8'

/** Serves a public JSON document, which is made at the first request for it. */
export function documentRoute(app: FastifyInstance, path: string, makeDocument: () => object): void {
  let document: { bytes: Buffer; tag: string } | undefined
  app.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    document ??= taggedBytes(makeDocument())
    return reply.type(JSON_MEDIA_TYPE).header('etag', document.tag).send(document.bytes)
  })
}

function taggedBytes(document: object): { bytes: Buffer; tag: string } {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, tag: entityTag(null, bytes) }
}

interface PageOptions {
  title: string
  /**
   * Whether the page stores tokens in the browser, which is only for tokens that are not secret.
   */
  keepsTokens: boolean
  /** The document in OpenAPI 2.0. */
  document: () => JsonRecord
}

/** The page loads nothing from other origins. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; style-src 'self' 'unsafe-inline';"

export async function documentPage(
  app: FastifyInstance,
  { title, keepsTokens, document }: PageOptions
): Promise<void> {
  await app.register(documentOfPage, { document })
  // All routes of this scope are those of Swagger UI, which have no access rule.
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' }
    if (route.url === `${app.prefix}/docs/json`) route.handler = sendAtRequestedUrl(document)
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    uiHooks: { onRequest: redirectToSlash },
    theme: { title },
    uiConfig: {
      layout: 'BaseLayout',
      displayRequestDuration: true,
      persistAuthorization: keepsTokens,
      defaultModelsExpandDepth: 0,
      tryItOutEnabled: true
    }
  })
}

/** Swagger UI requires a plugin with this name, and reads the document that it offers. */
const documentOfPage = fp<Pick<PageOptions, 'document'>>(
  async (app: FastifyInstance, { document }) => {
    let text: string | undefined
    app.decorate('swagger', (options?: { yaml?: boolean }) => {
      text ??= JSON.stringify(document())
      // A JSON text is valid YAML.
      return options?.yaml ? text : JSON.parse(text)
    })
  },
  { name: '@fastify/swagger' }
)

/** The page loads its files by relative URLs, which need the trailing slash. */
async function redirectToSlash({ originalUrl }: FastifyRequest, reply: FastifyReply) {
  if (/\/docs(\?|$)/.test(originalUrl)) return reply.redirect('docs/')
}

/**
 * The page calls the API at the origin and base path that it was loaded from. The plugin would copy
 * and serialize the document for each request.
 */
function sendAtRequestedUrl(document: () => JsonRecord): RouteHandlerMethod {
  let members: Buffer | undefined
  return async ({ originalUrl }, reply) => {
    members ??= Buffer.from(JSON.stringify(withoutAddress(document())))
    const basePath = JSON.stringify(originalUrl.replace(/\/docs\/.*$/, ''))
    const start = Buffer.from(`{"basePath":${basePath},`)
    return reply.type(JSON_MEDIA_TYPE).send(Buffer.concat([start, members.subarray('{'.length)]))
  }
}

const withoutAddress = ({ host: _, schemes: __, basePath: ___, ...members }: JsonRecord) => members
