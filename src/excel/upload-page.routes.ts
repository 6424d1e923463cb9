import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { etags } from '../platform/server/etag.js'
import { projectRoot } from '../platform/util/project-root.js'
import { danishByCode } from './sheets/danish.js'

const PAGE_FOLDER = join(projectRoot, 'src', 'excel', 'page')
// Served by name, uncompiled. Only danish.js is generated, from texts that the server uses too.
const FOLDERS = [
  ['', PAGE_FOLDER],
  ['', join(PAGE_FOLDER, 'scripts')],
  ['views/', join(PAGE_FOLDER, 'scripts', 'views')]
] as const

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const config = { access: 'public' } as const
const schema = { hide: true }

/** The upload page. It is public and holds no data; the API that it calls requires a token. */
export const uploadPageRoutes: FastifyPluginAsync = async (app) => {
  const { webOrigins, limits } = app
  await app.register(etags)
  app.addHook('onRequest', async (_request, reply) => setPolicy(reply, webOrigins))

  const page = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8')
    .replace('{{tokenOrigins}}', webOrigins.join(' '))
    .replace('{{uploadLimit}}', String(limits.upload))
  app.get('/upload', { config, schema, onRequest: withoutSlash }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(page)
  )
  const serve = (name: string, content: string) => {
    const type = MEDIA_TYPES[extname(name)]
    if (type === undefined) return
    app.get(`/upload/${name}`, { config, schema }, async (_request, reply) => reply.type(type).send(content))
  }
  for (const [prefix, folder] of FOLDERS)
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile()) serve(`${prefix}${entry.name}`, readFileSync(join(folder, entry.name), 'utf8'))
  serve('danish.js', `export const danishByCode = ${JSON.stringify(danishByCode)}\n`)
}

/**
 * The page may load its own files and call its own server. Applications of these origins may open
 * and frame it.
 */
function setPolicy(reply: FastifyReply, origins: readonly string[]): void {
  const policy = [
    "default-src 'none'",
    ...['script-src', 'style-src', 'connect-src', 'img-src'].map((each) => `${each} 'self'`),
    "form-action 'none'",
    "base-uri 'none'",
    ['frame-ancestors', "'self'", ...origins].join(' ')
  ]
  reply.header('content-security-policy', policy.join('; '))
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
