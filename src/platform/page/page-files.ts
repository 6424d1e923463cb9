import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { projectRoot } from '../util/project-root.js'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const routeOptions = { config: { access: 'public' }, schema: { hide: true } } as const

/**
 * Serves the files of a page, as bundled by `scripts/bundle-pages.ts`. They are public.
 * @param prefix begins their URLs.
 * @param page the name of its folder.
 */
export function servePageFiles(app: FastifyInstance, prefix: string, page: string): void {
  const folder = join(projectRoot, 'dist', 'pages', page)
  if (!existsSync(folder)) throw new Error(`The page ${page} is not built. Run npm run build.`)
  for (const name of readdirSync(folder)) {
    const type = MEDIA_TYPES[extname(name)]
    if (type === undefined) continue
    const content = readFileSync(join(folder, name), 'utf8')
    app.get(prefix + name, routeOptions, async (_request, reply) => reply.type(type).send(content))
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
