import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { expandParameter, parseExpand } from '../../platform/rest/expand.js'
import { routeDoc } from '../../platform/rest/route-config.js'
import { untilDeadline } from '../../platform/server/until-deadline.js'
import { partyRead } from '../agreement.access.js'
import { viewMe } from './me.queries.js'
import { Me } from './me.schemas.js'

const meExpansions = ['parties'] as const

const querystring = Type.Object({ expand: expandParameter(meExpansions) }, { additionalProperties: false })

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
        querystring,
        response: { 200: Me }
      }
    },
    untilDeadline(({ state: { call }, query }) => viewMe(app, call, parseExpand(query.expand, meExpansions)))
  )
}
