import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { projectRoot } from '../util/project-root.js'

/** The style and the icon of all pages. */
const COMMON_FOLDER = join(projectRoot, 'src', 'platform', 'page', 'common')

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const routeOptions = { config: { access: 'public' }, schema: { hide: true } } as const

/** A public file of a page. Its name ends with `.css`, `.js` or `.svg`. */
function servePageFile(app: FastifyInstance, url: string, content: string): void {
  const type = MEDIA_TYPES[extname(url)]
  if (type === undefined) return
  app.get(url, routeOptions, async (_request, reply) => reply.type(type).send(content))
}

/**
 * Serves the files of a page, uncompiled, and those that all pages have in common. Files of other
 * types are left out.
 * @param prefix begins their URLs.
 * @param folders the folders of the page, by what the names of their files begin with in URLs.
 */
export function servePageFiles(
  app: FastifyInstance,
  prefix: string,
  folders: readonly (readonly [start: string, folder: string])[]
): void {
  for (const [start, folder] of [['', COMMON_FOLDER], ...folders] as const)
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile())
        servePageFile(app, `${prefix}${start}${entry.name}`, readFileSync(join(folder, entry.name), 'utf8'))
}

/**
 * The content security policy of a page: it may load its own files and call its own server.
 * @param ancestors origins that may frame it, as in `frame-ancestors`.
 */
export const pagePolicy = (ancestors: readonly string[]): string =>
  [
    "default-src 'none'",
    ...['script-src', 'style-src', 'connect-src', 'img-src'].map((each) => `${each} 'self'`),
    "form-action 'none'",
    "base-uri 'none'",
    ['frame-ancestors', ...ancestors].join(' ')
  ].join('; ')
