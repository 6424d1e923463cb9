import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pagePolicy, servePageFiles } from '../platform/page/page-files.js'
import { pageHtml } from '../platform/page/page-html.js'
import { etags } from '../platform/rest/etag.js'
import { requestLanguage } from '../platform/util/accept-language.js'
import { addVary } from '../platform/util/vary.js'

const routeOptions = { config: { access: 'public' }, schema: { hide: true } } as const

/**
 * The order desk, `/desk/`. It is public and holds no data; the APIs that it calls require a token.
 */
export async function deskRoutes(app: FastifyInstance): Promise<void> {
  await app.register(etags)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': pagePolicy(["'none'"], app.signIn.origins()),
      'cache-control': 'no-cache',
      // Keeps window.opener, the page that hands over the token.
      'cross-origin-opener-policy': 'unsafe-none'
    })
  })
  app.get('/desk', { ...routeOptions, onRequest: withSlash }, async (request, reply) => {
    addVary(reply, 'Accept-Language')
    reply.type('text/html; charset=utf-8')
    return pageHtml({
      language: requestLanguage(request),
      title: 'SSL',
      files: '',
      hasScript: true,
      meta: app.signIn.meta()
    })
  })
  servePageFiles(app, '/desk/', 'desk')
}

/** The page uses relative URLs, so its URL must end with a slash. */
async function withSlash({ originalUrl }: FastifyRequest, reply: FastifyReply) {
  if (/\/desk(\?|$)/.test(originalUrl)) return reply.redirect('desk/')
}
