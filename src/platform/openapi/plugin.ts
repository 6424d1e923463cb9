import type { FastifyInstance, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type { CodesOf, JsonRecord } from '../json/swagger-schema.js'
import { resolveExampleUrls } from '../schemas/examples.js'
import { type ApiOptions, operationOf } from './operation.js'
import { GENERAL_CODES, problemBodyOf, codesOf as problemCodesOf, problemTable } from './problems.js'
import { type DocumentedRoute, isDocumented } from './route-doc.js'
import { documentPage, documentRoute } from './serve-documents.js'
import { apiRulesText, joinWrappedLines } from './text.js'
import { type ApiDescription, openApi20, openApi31 } from './writers.js'

export interface OpenApiOptions extends Omit<ApiOptions, 'prefix' | 'problemBase'> {
  codesOf: CodesOf
  /** Base URLs by the placeholders of examples. */
  exampleBaseUrls: Readonly<Record<string, string>>
  /**
   * Whether the page stores tokens in the browser, which is only for tokens that are not secret.
   */
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

function describeApi(routes: readonly DocumentedRoute[], options: ApiOptions): ApiDescription {
  const { title, description, baseUrl, problems } = options
  const codes = [...new Set([...GENERAL_CODES, ...routes.flatMap(problemCodesOf)])].sort()
  const problemBody = problemBodyOf(codes)
  const tags = new Map(routes.map(({ schema, config }) => [schema.tags[0], config.doc.tagDescription]))
  return {
    info: {
      title,
      description: `${joinWrappedLines(`${description}\n\n${apiRulesText}`)}\n\n${problemTable(problems, codes)}`,
      version: '1.0.0',
      contact: { name: title, url: `${baseUrl}/docs` },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' }
    },
    baseUrl,
    tags: [...tags].map(([name, text]) => ({ name, description: text })),
    operations: routes.map((route) => operationOf(route, options, problemBody))
  }
}
