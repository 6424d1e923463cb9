import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Language } from '../errors/language.js'
import { addVary, requestLanguage } from '../headers/negotiation.js'
import { projectRoot } from '../program/program.js'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const routeOptions = { config: { access: 'public' }, schema: { hide: true } } as const

/** Serves `/pages/…`: the files of all pages, as bundled by `scripts/bundle-pages.ts`. */
export function servePageFiles(app: FastifyInstance): void {
  const folder = join(projectRoot, 'dist', 'pages')
  if (!existsSync(folder)) throw new Error('The pages are not built. Run npm run build.')
  for (const name of readdirSync(folder)) {
    const type = MEDIA_TYPES[extname(name)]
    if (type === undefined) continue
    const content = readFileSync(join(folder, name), 'utf8')
    app.get(`/pages/${name}`, routeOptions, async (_request, reply) => reply.type(type).send(content))
  }
}

/**
 * The content security policy of a page, which may load its own files and call its own server.
 * @param ancestors origins that may frame it, as in `frame-ancestors`.
 * @param called origins of other servers that it calls.
 */
export const pagePolicy = (ancestors: readonly string[], called: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ['connect-src', "'self'", ...called].join(' '),
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    ['frame-ancestors', ...ancestors].join(' ')
  ].join('; ')

export interface PageHtml {
  language: Language
  title: string
  /** Relative URL of the first page. */
  root: string
  script?: string | undefined
  /** The values that the script reads from `meta` elements, by their names. */
  meta?: Readonly<Record<string, string>>
  /** HTML of the content. Default: the content of a page that its script renders. */
  body?: string
}

/** The HTML of a page. All its URLs are relative, so it names no address. */
export const pageHtml = ({ language, title, root, script, meta = {}, body }: PageHtml): string =>
  `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
${Object.entries(meta)
  .map(([name, content]) => `    <meta name="${name}" content="${escapeHtml(content)}">\n`)
  .join('')}    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${root}pages/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${root}pages/style.css">
${script ? `    <script type="module" src="${root}pages/${script}.js"></script>\n` : ''}  </head>
  <body>
${body ?? '    <noscript><p lang="da">Siden har brug for JavaScript.</p><p lang="en">This page needs JavaScript.</p></noscript>'}
  </body>
</html>
`

/** A text as HTML, also within an attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

interface AppPageOptions {
  /** Its URL. Relative URLs depend on the slash at the end. */
  url: string
  script: string
  /** Origins of applications that may open and frame it, and hand over the token. Default: none. */
  applications?: readonly string[]
  /** The values that its script reads from `meta` elements, by their names. */
  meta?: Readonly<Record<string, string>>
}

/**
 * Serves a page that its script renders, and on which users sign in. The page is public and
 * contains no data; the APIs that it calls require a token.
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
      // With configured applications, the page keeps its opener, which may hand over the token.
      // Otherwise no other site gets access to the page.
      'cross-origin-opener-policy': hasApplications ? 'unsafe-none' : 'same-origin-allow-popups'
    })
    // X-Frame-Options cannot list origins; frame-ancestors is used instead.
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
      meta: { ...meta, ...app.signIn.meta(root) }
    })
  })
}
