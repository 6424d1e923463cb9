import type { FastifyInstance, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { CodesOf, JsonRecord } from '../json/swagger-schema.js'
import { resolveExampleUrls } from '../schemas/examples.js'
import { describeApi } from './document.js'
import { openApi20 } from './openapi-20.js'
import { openApi31 } from './openapi-31.js'
import type { ApiOptions } from './operation.js'
import { isDocumented } from './route-doc.js'
import { documentPage, documentRoute } from './serve-documents.js'

export interface OpenApiOptions extends Omit<ApiOptions, 'prefix' | 'problemBase'> {
  /** The codes of a closed value set. */
  codesOf: CodesOf
  /** Base URLs by the placeholders of examples. */
  exampleBaseUrls: Readonly<Record<string, string>>
  /** Whether the page keeps tokens in the browser: only those that are not secret. */
  keepsTokens: boolean
}

/**
 * Documents the routes of an API from the schemas that validate and the access rules that are
 * enforced: `openapi.json` (2.0), `openapi-3.1.json`, and Swagger UI at `docs`.
 */
export const openapi = fp<OpenApiOptions>(
  async (app: FastifyInstance, { codesOf, exampleBaseUrls, keepsTokens, ...options }) => {
    const routes: RouteOptions[] = []
    app.addHook('onRoute', (route) => {
      routes.push(route)
    })
    const { prefix, problemBase } = app
    const document = (write: typeof openApi20): JsonRecord => {
      const api = describeApi(routes.filter(isDocumented), { ...options, prefix, problemBase })
      return resolveExampleUrls(write(api, codesOf), exampleBaseUrls)
    }
    const document20 = () => document(openApi20)
    await app.register(documentPage, { title: options.title, keepsTokens, document: document20 })
    documentRoute(app, '/openapi.json', document20)
    documentRoute(app, '/openapi-3.1.json', () => document(openApi31))
  },
  { name: 'openapi' }
)
