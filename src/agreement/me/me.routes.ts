import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { routeDoc } from '../../platform/rest/route-config.js'
import { NoQuery } from '../../platform/schemas/schemas.js'
import { partyRead } from '../party.access.js'
import { viewMe } from './me.queries.js'
import { Me } from './me.schemas.js'

/** `GET /me`: an application finds its user's parties without reading all of them. */
export const meRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/me',
    {
      config: {
        access: partyRead,
        doc: routeDoc(
          'The caller itself.',
          'Returns the caller, its parties and their partners in contracts.',
          {}
        )
      },
      schema: {
        operationId: 'getMe',
        summary: 'Read the caller',
        tags: ['Me'],
        querystring: NoQuery,
        response: { 200: Me }
      }
    },
    ({ call }) => viewMe(app, call)
  )
}
