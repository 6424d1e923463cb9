import type { FastifyInstance, RouteOptions } from 'fastify'
import { isOnPatients } from '../auth/access-rule.js'
import { isBounded } from '../server/until-deadline.js'

/** What a route lacks, by the message of the error. */
const faults: Readonly<Record<string, (route: RouteOptions) => boolean>> = {
  'Routes without an access rule': ({ config }) => config?.access === undefined,
  'Routes on patient data without an audit rule': ({ config }) =>
    isOnPatients(config?.access) && !config?.audit,
  'Routes whose handlers have no deadline': ({ config, handler }) =>
    typeof config?.access === 'object' && !isBounded(handler)
}

/** The server does not start with a route that lacks an access rule, or what its rule requires. */
export function checkRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
    if (typeof route.config?.access === 'object')
      route.schema = { security: [{ token: [] }], ...route.schema }
  })
  app.addHook('onReady', async () => {
    for (const [message, isFaulty] of Object.entries(faults)) {
      const names = routes.filter(isFaulty).map(({ method, url }) => `${String(method)} ${url}`)
      if (names.length > 0) throw new Error(`${message}: ${names.join(', ')}`)
    }
  })
}
