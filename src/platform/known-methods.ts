import type { FastifyInstance, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import { problem } from './problem.js'

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** Answers 405 with `Allow` where an address is known but not with this method. Call `refuseOtherMethods` after all routes are there. */
export const knownMethods = fp(
  async (app: FastifyInstance) => {
    const known = new Map<string, Set<HTTPMethods>>()
    app.addHook('onRoute', ({ url, method }) => {
      const seen = known.get(url) ?? new Set()
      for (const each of [method].flat()) seen.add(each as HTTPMethods)
      known.set(url, seen)
    })
    app.decorate('refuseOtherMethods', () => {
      for (const [url, allowed] of [...known]) {
        const others = methods.filter((method) => !allowed.has(method))
        const allow = [...allowed].sort().join(', ')
        if (others.length === 0 || url.includes('*')) continue
        app.route({
          url,
          method: others,
          config: { access: 'public' },
          schema: { hide: true },
          onRequest: async () => {
            throw problem('method-not-allowed', `Use ${allow}.`, { headers: { allow } })
          },
          handler: async () => {}
        })
      }
    })
  },
  { name: 'known-methods' }
)

declare module 'fastify' {
  interface FastifyInstance {
    /** To be called once, after the last route. */
    refuseOtherMethods(): void
  }
}
