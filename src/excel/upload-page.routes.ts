import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { catalogueResource } from '../catalogue/resources.js'
import { pagePolicy, servePageFile } from '../platform/page/page-files.js'
import { etags } from '../platform/rest/etag.js'
import { projectRoot } from '../platform/util/project-root.js'

const PAGE_FOLDER = join(projectRoot, 'src', 'excel', 'page')
const FOLDERS = [
  ['', PAGE_FOLDER],
  ['', join(PAGE_FOLDER, 'scripts')],
  ['views/', join(PAGE_FOLDER, 'scripts', 'views')]
] as const

const config = { access: 'public' } as const
const schema = { hide: true }

/** The upload page. It is public and holds no data; the API that it calls requires a token. */
export const uploadPageRoutes: FastifyPluginAsync = async (app) => {
  const { webOrigins, limits, resourceUrls } = app
  await app.register(etags)
  app.addHook('onRequest', async (_request, reply) => setPolicy(reply, webOrigins))

  const page = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8')
    .replace('{{tokenOrigins}}', webOrigins.join(' '))
    .replace('{{uploadLimit}}', String(limits.workbook.fileBytes))
    .replace('{{catalogueUrl}}', resourceUrls.url(catalogueResource, ''))
  app.get('/upload', { config, schema, onRequest: withoutSlash }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(page)
  )
  for (const [start, folder] of FOLDERS)
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile())
        servePageFile(app, `/upload/${start}${entry.name}`, readFileSync(join(folder, entry.name), 'utf8'))
}

/** Applications of these origins may open and frame the page. */
function setPolicy(reply: FastifyReply, origins: readonly string[]): void {
  reply.header('content-security-policy', pagePolicy(["'self'", ...origins]))
  // It cannot list origins; frame-ancestors replaces it.
  reply.removeHeader('x-frame-options')
  // Keeps window.opener, the application that hands over the token.
  reply.header('cross-origin-opener-policy', 'unsafe-none')
  reply.header('cache-control', 'no-cache')
}

/** The page uses relative URLs, so its URL must not end with a slash. */
async function withoutSlash({ originalUrl }: FastifyRequest, reply: FastifyReply) {
  if (/\/upload\/(\?|$)/.test(originalUrl)) return reply.redirect('../upload')
}
