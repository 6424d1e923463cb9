import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { projectRoot } from '../program/project-root.js'

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
 * The content security policy of a page: it may load its own files and call its own server.
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
