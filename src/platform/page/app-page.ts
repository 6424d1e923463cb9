import type { FastifyInstance } from 'fastify'
import { addVary, requestLanguage } from '../headers/negotiation.js'
import { pageHtml, pagePolicy } from './page.js'

interface AppPageOptions {
  /** Its URL. Relative URLs depend on the slash at the end. */
  url: string
  /** The name of its script. */
  script: string
  /** Origins of applications that may open and frame it, and hand over the token. Default: none. */
  applications?: readonly string[]
  /** What its script reads from `meta` elements, by their names. */
  meta?: Readonly<Record<string, string>>
}

/**
 * Serves a page that its script renders, and on which people sign in. It is public and holds no
 * data; the APIs that it calls require a token.
 */
export function serveAppPage(
  app: FastifyInstance,
  { url, script, applications = [], meta = {} }: AppPageOptions
): void {
  const endsWithSlash = url.endsWith('/')
  const name = url.split('/').filter(Boolean).at(-1) ?? ''
  const root = '../'.repeat(`${app.prefix}${url}`.split('/').length - 2)
  const hasApplications = applications.length > 0
  const ancestors = hasApplications ? ["'self'", ...applications] : ["'none'"]
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': pagePolicy(ancestors, app.signIn.origins()),
      'cache-control': 'no-cache',
      // Applications that open it hand over the token. Else no other site gets hold of the page.
      'cross-origin-opener-policy': hasApplications ? 'unsafe-none' : 'same-origin-allow-popups'
    })
    // It cannot list origins; frame-ancestors replaces it.
    reply.removeHeader('x-frame-options')
  })
  const routeOptions = { config: { access: 'public' }, schema: { hide: true } } as const
  app.get(url.replace(/\/$/, ''), routeOptions, async (request, reply) => {
    const path = request.originalUrl.split('?')[0] ?? ''
    if (path.endsWith('/') !== endsWithSlash) return reply.redirect(endsWithSlash ? `${name}/` : `../${name}`)
    addVary(reply, 'Accept-Language')
    reply.type('text/html; charset=utf-8')
    return pageHtml({
      language: requestLanguage(request),
      title: 'SSL',
      root,
      script,
      meta: { ...meta, ...app.signIn.meta() }
    })
  })
}
