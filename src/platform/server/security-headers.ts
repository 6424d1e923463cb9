import fastifyCors from '@fastify/cors'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'

/** The headers of helmet 8, without the content security policy, which each page sets. */
export const standardHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0'
}

export const addSecurityHeaders = (): onRequestHookHandler => (_request, reply, done) => {
  reply.headers(standardHeaders)
  done()
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Origins of web pages that may call the service. */
    webOrigins: readonly string[]
  }
}

/** Allows web pages of these origins to call the service. The library adds the hook. */
export async function allowOrigins(
  app: FastifyInstance,
  { corsOrigins: origins }: { corsOrigins: readonly string[] }
): Promise<void> {
  app.decorate('webOrigins', origins)
  if (origins.length === 0) return
  // Preflight requests have no token, so their route must be public.
  app.addHook('onRoute', (route) => {
    if (route.url === '*' && route.method === 'OPTIONS')
      route.config = { ...route.config, access: 'uncounted' }
  })
  await app.register(fastifyCors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      ...['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
      ...['last-event-id', 'prefer', 'x-request-id']
    ],
    exposedHeaders: [
      ...['allow', 'etag', 'link', 'location', 'preference-applied', 'retry-after', 'x-request-id'],
      ...['ratelimit', 'ratelimit-policy', 'x-total-count', 'x-updated-until']
    ],
    maxAge: 600
  })
}
