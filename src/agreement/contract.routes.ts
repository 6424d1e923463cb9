import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule } from '../platform/auth/access-rule.js'
import { listRoute } from '../platform/rest/list-route.js'
import { putRoutes, replacementOf } from '../platform/rest/put-routes.js'
import type { ResourceView } from '../platform/rest/representation.js'
import { createRoute, readRoute } from '../platform/rest/resource-routes.js'
import type { ResourceName } from '../platform/rest/route-config.js'
import { contractRead } from './agreement.access.js'
import { type ContractFilters, contractFilters, contractQueries } from './contract.queries.js'
import { Contract, ContractInput } from './contract.schemas.js'
import { createContract, replaceContract } from './contract.service.js'
import { contractResource } from './resources.js'

const name: ResourceName = {
  type: 'Contract',
  noun: 'contract',
  description:
    'Agreements under which a provider delivers to buyers. Items can only be ordered under a contract in force.',
  resource: contractResource,
  hasSlash: true
}

const docs = {
  description:
    'The parties must have the roles SELLER, ACCOUNTING and BUYER. The account or a buyer must belong to the caller’s organization. The start of the period must not be after its end.',
  errors: ['dangling-reference', 'wrong-role', 'invalid-period', 'duplicate-buyer']
}

const write = { AdministrativeClerk: 'administered' } as const
const create: AccessRule = { permission: 'Contract.create', scopes: write }
const update: AccessRule = { permission: 'Contract.update', scopes: write }

export const contractRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const view: ResourceView = {
    access: contractRead,
    response: Contract,
    run: (call, id) => contractQueries.view(app, call, id)
  }
  createRoute(app, name, {
    access: create,
    docs,
    body: ContractInput,
    run: (call, input) => createContract(app, call, input),
    view
  })
  putRoutes(app, name, {
    access: update,
    docs,
    body: replacementOf(name, ContractInput, Contract),
    run: (call, id, input) => replaceContract(app, call, id, input),
    view
  })
  listRoute<ContractFilters, string, typeof Contract>(app, name, {
    path: 'contracts',
    singular: true,
    access: contractRead,
    filters: contractFilters,
    response: Contract,
    run: (call, filters, page) => contractQueries.list(app, call, filters, page)
  })
  readRoute(app, name, view)
}
