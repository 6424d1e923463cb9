import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Language } from '../platform/errors/language.js'
import { type ProblemTable, type ProblemTexts, problem } from '../platform/errors/problem.js'
import { addVary, requestLanguage } from '../platform/headers/negotiation.js'
import { pageHtml, pagePolicy } from '../platform/page/page.js'
import { tagResponse } from '../platform/rest/etag.js'
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
    const { headers } = request
    const { code } = request.params as { code: string }
    const found = Object.hasOwn(problems, code) ? problems[code] : undefined
    if (!found) throw problem('not-found')
    const language = requestLanguage(request)
    for (const name of ['Accept', 'Accept-Language']) addVary(reply, name)
    reply.headers({ 'content-language': language, 'cache-control': 'no-cache' })
    const { status, title, remedy } = found
    if (!headers.accept?.includes('text/html'))
      return {
        type: `${app.problemBase}${code}`,
        code,
        status,
        title: title[language],
        remedy: remedy[language]
      }
    reply.header('content-security-policy', pagePolicy(["'none'"])).type('text/html; charset=utf-8')
    return problemPage(code, found, language)
  })
}

/** Texts of problems have no characters that HTML would read as markup. */
const problemPage = (code: string, { status, title, remedy }: ProblemTexts, language: Language) =>
  pageHtml({
    language,
    title: title[language],
    root: '../',
    body: `<header><h1>${title[language]}</h1></header>
<main>
  <p><code>${code}</code>, ${problemPageTexts.status[language]} ${status}</p>
  <h2>${problemPageTexts.remedy[language]}</h2>
  <p>${remedy[language].replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
  <p><a href="../">${problemPageTexts.home[language]}</a></p>
</main>`
  })
