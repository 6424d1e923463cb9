import type { FastifyInstance, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from '../errors/problem.js'

const METHODS: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']

/** Responds with 405 and `Allow` when the URL has routes for other methods only. */
export const methodNotAllowed = fp(
  async (app: FastifyInstance) => {
    // A hook instead of the 404 handler: the response must not depend on the body.
    app.addHook('onRequest', (request, _reply, done) => {
      if (!request.is404) return done()
      const allow = METHODS.filter((method) => hasRoute(app, method, request.url)).join(', ')
      if (allow !== '') throw problem('method-not-allowed', `Use ${allow}.`, { headers: { allow } })
      done()
    })
  },
  { name: 'method-not-allowed' }
)

/** Whether a route has this method. Wildcards do not count: they match any URL. */
function hasRoute(app: FastifyInstance, method: HTTPMethods, url: string): boolean {
  const route = app.findRoute({ method, url })
  return route !== null && !('*' in route.params)
}
