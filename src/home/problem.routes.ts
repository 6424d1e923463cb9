import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../platform/errors/language.js'
import type { ProblemTable, ProblemTexts } from '../platform/errors/problem.js'
import { addVary, requestLanguage } from '../platform/headers/negotiation.js'
import { pageHtml, pagePolicy } from '../platform/page/page.js'
import { tagResponse } from '../platform/rest/etag.js'
import { sendProblem, toProblem, unknownPath } from '../platform/server/error-handler.js'
import { problemPageTexts } from './texts.js'

/**
 * `GET /problems/<code>`, the address in the `type` of a problem: its meaning and remedy, in the
 * language that `Accept-Language` prefers, as HTML for a browser and as JSON otherwise. Public.
 */
export async function problemRoutes(
  app: FastifyInstance,
  { problems }: { problems: ProblemTable }
): Promise<void> {
  app.addHook('onSend', tagResponse)
  const params = Type.Object({ code: Type.String({ maxLength: 100 }) })
  app.get('/problems/:code', { config: { access: 'public' }, schema: { params } }, async (request, reply) => {
    const { code } = request.params as { code: string }
    const found = Object.hasOwn(problems, code) ? problems[code] : undefined
    if (!found) return respondToUnknownPath(request, reply)
    const language = requestLanguage(request)
    for (const name of ['Accept', 'Accept-Language']) addVary(reply, name)
    reply.headers({ 'content-language': language, 'cache-control': 'no-cache' })
    const { status, title, remedy } = found
    if (!acceptsHtml(request))
      return {
        type: `${app.problemBase}${code}`,
        code,
        status,
        title: title[language],
        remedy: remedy[language]
      }
    return asPage(reply).send(problemPage(code, found, language, '../'))
  })
}

/** Responds to unknown paths: in APIs as JSON, elsewhere as {@link respondToUnknownPath}. */
export function respondToUnknownPaths(app: FastifyInstance, apis: readonly string[]): void {
  app.setNotFoundHandler((request, reply) => {
    if (!apis.some((api) => request.url.startsWith(`/${api}/`))) return respondToUnknownPath(request, reply)
    addVary(reply, 'Accept')
    return sendProblem(request, reply, unknownPath(app))
  })
}

/** The page repeats a relative URL whose length grows with the segments of the path. */
const MAX_PAGE_SEGMENTS = 20

/** Responds to a browser as HTML, otherwise, and to a path of many segments, as JSON. */
function respondToUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const found = unknownPath(request.server)
  const [path = ''] = request.originalUrl.split('?')
  const segments = path.split('/').length - 1
  addVary(reply, 'Accept')
  if (segments > MAX_PAGE_SEGMENTS || !acceptsHtml(request) || /json/.test(request.headers.accept ?? ''))
    return sendProblem(request, reply, found)
  toProblem(request, reply, found)
  const texts = { ...found, remedy: found.detail }
  const root = '../'.repeat(Math.max(0, segments - 1))
  return asPage(reply).send(problemPage(found.code, texts, requestLanguage(request), root))
}

const acceptsHtml = ({ headers: { accept = '' } }: FastifyRequest) => accept.includes('text/html')

const asPage = (reply: FastifyReply) =>
  reply.header('content-security-policy', pagePolicy(["'none'"])).type('text/html; charset=utf-8')

/**
 * Texts of problems have no characters that HTML would read as markup.
 * @param root relative URL of the first page.
 */
const problemPage = (
  code: string,
  { status, title, remedy }: ProblemTexts,
  language: Language,
  root: string
) =>
  pageHtml({
    language,
    title: title[language],
    root,
    body: `<header><h1>${title[language]}</h1></header>
<main>
  <p><code>${code}</code>, ${problemPageTexts.status[language]} ${status}</p>
  <h2>${problemPageTexts.remedy[language]}</h2>
  <p>${remedy[language].replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
  <p><a href="${root || './'}">${problemPageTexts.home[language]}</a></p>
</main>`
  })
