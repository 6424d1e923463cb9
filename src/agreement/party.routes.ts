import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule } from '../platform/auth/access-rule.js'
import { listRoute } from '../platform/rest/list-route.js'
import { putRoutes, replacementOf } from '../platform/rest/put-routes.js'
import type { ResourceView } from '../platform/rest/representation.js'
import { createRoute, readRoute } from '../platform/rest/resource-routes.js'
import type { ResourceName } from '../platform/rest/route-config.js'
import { partyRead } from './agreement.access.js'
import type { PartyUse } from './lookup.js'
import { type PartyFilters, partyFilters, partyQueries } from './party.queries.js'
import { Party, PartyInput } from './party.schemas.js'
import { createParty, replaceParty } from './party.service.js'
import { partyResource } from './resources.js'

const name: ResourceName = {
  type: 'Party',
  noun: 'party',
  description: 'Legal entities that buy, sell or pay: buyers, sellers and accounting parties.',
  resource: partyResource,
  hasSlash: true
}

const refusals = ['unknown-coding', 'dangling-reference'] as const

const create: AccessRule = { permission: 'Party.create', scopes: { AdministrativeClerk: 'administered' } }
const update: AccessRule = { permission: 'Party.update', scopes: { AdministrativeClerk: 'administered' } }

export const partyRoutes =
  (uses: readonly PartyUse[]): FastifyPluginAsyncTypebox =>
  async (app) => {
    const view: ResourceView = {
      access: partyRead,
      response: Party,
      run: (call, id) => partyQueries.view(app, call, id)
    }
    createRoute(app, name, {
      access: create,
      docs: {
        description:
          'Roles are codes of the value set party-role. A party of another organization than the caller’s can only be a SELLER.',
        errors: [...refusals, 'clinical-backend-unavailable']
      },
      body: PartyInput,
      run: (call, input) => createParty(app, call, input),
      view
    })
    putRoutes(app, name, {
      access: update,
      docs: {
        description:
          'The organization cannot change. A party of another organization than the caller’s can only have the role SELLER. A party keeps a role while it has open orders, catalogues that are not INACTIVE or contracts that have not ended in that role.',
        errors: [...refusals, 'fixed-organization', 'party-in-use']
      },
      body: replacementOf(name, PartyInput, Party),
      run: (call, id, input) => replaceParty(app, call, id, input, uses),
      view
    })
    listRoute<PartyFilters, string, typeof Party>(app, name, {
      path: 'parties',
      singular: true,
      access: partyRead,
      filters: partyFilters,
      response: Party,
      run: (call, filters, page) => partyQueries.list(app, call, filters, page)
    })
    readRoute(app, name, view)
  }
