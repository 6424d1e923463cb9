import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { type ResourceName, routeDoc } from '../../platform/rest/route-config.js'
import { NoQuery } from '../../platform/schemas/schemas.js'
import { untilDeadline } from '../../platform/server/until-deadline.js'
import { valueSetResource } from '../resources.js'
import { listValueSets, viewValueSet } from './value-set.queries.js'
import { PublicValueSet } from './value-set.schemas.js'

const name: ResourceName = {
  type: 'ValueSet',
  noun: 'value set',
  description: 'The codes of coded members, with their displays in Danish and English.',
  resource: valueSetResource
}

/** Value sets have no owner. Every caller who may read catalogues may read them. */
const access: AccessRule = {
  permission: 'Catalogue.read',
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'any' }
}

const description = 'A terminology server may accept further values of annotations.'

const params = Type.Object({
  name: Type.String({ maxLength: 255, description: 'Name of the value set, such as order-status.' })
})

export const valueSetRoutes: FastifyPluginAsyncTypebox = async (app) => {
  listRoute<object, string, typeof PublicValueSet>(app, name, {
    path: 'value-sets',
    access,
    docs: { description },
    filters: {},
    response: PublicValueSet,
    run: (call, _filters, page) => listValueSets(app, call, page)
  })
  app.get(
    '/value-sets/:name',
    {
      config: {
        access,
        doc: routeDoc(name.description, `Returns a value set by its name. ${description}`, {})
      },
      schema: {
        operationId: 'getValueSet',
        summary: 'Read a value set',
        tags: ['ValueSet'],
        params,
        querystring: NoQuery,
        response: { 200: PublicValueSet }
      }
    },
    untilDeadline(async ({ params, state }) => viewValueSet(app, state.call, params.name))
  )
}
