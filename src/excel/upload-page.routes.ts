import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { etags } from '../platform/server/etag.js'
import { projectRoot } from '../platform/util/project-root.js'
import { danish } from './sheets/danish.js'

// Served as they are written, except for the Danish texts that the server has too: browsers need nothing compiled.
const folder = join(projectRoot, 'src', 'excel', 'page')

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml'
}
const config = { access: 'public' } as const
const schema = { hide: true }

/** The page on which people send workbooks: it holds no data, and what it calls asks for their token. */
export const pageRoutes: FastifyPluginAsync = async (app) => {
  const { webOrigins, limits } = app
  await app.register(etags)
  app.addHook('onRequest', async (_request, reply) => allow(reply, webOrigins))

  const page = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('{{tokenOrigins}}', webOrigins.join(' '))
    .replace('{{uploadLimit}}', String(limits.upload))
  app.get('/upload', { config, schema, onRequest: withoutSlash }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(page)
  )
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
  const texts = ['danish.js', `export const danish = ${JSON.stringify(danish)}\n`] as const
  for (const [name, content] of [...files, texts]) {
    const type = types[extname(name)]
    if (type === undefined) continue
    app.get(`/upload/${name}`, { config, schema }, async (_request, reply) => reply.type(type).send(content))
  }
}

/** The page may load its own files and call its own server; applications of these origins may open it and frame it. */
function allow(reply: FastifyReply, origins: readonly string[]): void {
  const policy = [
    "default-src 'none'",
    ...['script-src', 'style-src', 'connect-src', 'img-src'].map((each) => `${each} 'self'`),
    "form-action 'none'",
    "base-uri 'none'",
    ['frame-ancestors', "'self'", ...origins].join(' ')
  ]
  reply.header('content-security-policy', policy.join('; '))
  // It knows no origins, and the policy says it better.
  reply.removeHeader('x-frame-options')
  // Else the browser cuts the page off from the application that opened it and has the token.
  reply.header('cross-origin-opener-policy', 'unsafe-none')
  reply.header('cache-control', 'no-cache')
}

/** The page finds its files beside it, so its address has one form. */
async function withoutSlash({ originalUrl }: FastifyRequest, reply: FastifyReply) {
  if (/\/upload\/(\?|$)/.test(originalUrl)) return reply.redirect('../upload')
}
