import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { languages } from '../platform/errors/language.js'
import { addVary, requestLanguage } from '../platform/headers/negotiation.js'
import { pagePolicy, servePageFiles } from '../platform/page/page.js'
import { tagResponse } from '../platform/rest/etag.js'
import { Enum } from '../platform/schemas/schemas.js'
import { untilDeadline } from '../platform/server/until-deadline.js'
import { createDemoTokens } from './demo-people.js'
import { type HomePageOptions, homePage } from './home-page.js'

const config = { access: 'public' } as const
const querystring = Type.Object(
  { language: Type.Optional(Enum(languages, 'Language of the page.')) },
  { additionalProperties: false }
)

/** The settings of the first page, and whether the database has data. */
interface HomeOptions extends HomePageOptions {
  hasData(): Promise<boolean>
}

/**
 * The first page, `/`: links to the pages of this server. The page is public and contains no data.
 * In devtest it also offers unsigned tokens and, without data, explains how to create data. Serves
 * the files of all pages, too.
 */
export async function homeRoutes(app: FastifyInstance, options: HomeOptions): Promise<void> {
  const { hasDocuments, hasTokens, hasData } = options
  app.addHook('onSend', tagResponse)
  const policy = pagePolicy(["'none'"])
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      // Pages that it opens may request a token from it.
      ...(hasTokens && { 'cross-origin-opener-policy': 'same-origin-allow-popups' })
    })
  })
  const pagesWith = (isEmpty: boolean) =>
    Object.fromEntries(languages.map((language) => [language, homePage(language, { ...options, isEmpty })]))
  const [pages, emptyPages] = [pagesWith(false), pagesWith(true)]
  let isEmpty = hasTokens
  app.get(
    '/',
    { config, schema: { querystring } },
    untilDeadline(async (request, reply) => {
      addVary(reply, 'Accept-Language')
      reply.type('text/html; charset=utf-8')
      // Data is never removed completely, so the state is cached.
      isEmpty &&= !(await hasData())
      return (isEmpty ? emptyPages : pages)[requestLanguage(request)]
    })
  )
  servePageFiles(app)
  if (hasDocuments) app.get('/docs', { config }, async (_request, reply) => reply.redirect('./'))
  if (hasTokens)
    app.get('/home/tokens.json', { config }, async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return createDemoTokens()
    })
}
