import fastifyCors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

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
