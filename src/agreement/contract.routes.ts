import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule } from '../platform/access.js'
import { createRoute, type ResourceName, readRoute, replaceRoutes } from '../platform/resource-routes.js'
import { inputSchemas } from '../platform/schemas.js'
import { Contract, contractSchemas } from './contract.schemas.js'
import { createContract, replaceContract } from './contract.service.js'
import { viewContract } from './contract.view.js'
import { contractKind } from './kinds.js'

const name: ResourceName = { type: 'Contract', noun: 'contract', kind: contractKind }

const create: AccessRule = { permission: 'Contract.create', scopes: { AdministrativeClerk: 'any' } }
const update: AccessRule = { permission: 'Contract.update', scopes: { AdministrativeClerk: 'any' } }
const read: AccessRule = {
  permission: 'Contract.read',
  scopes: { AdministrativeClerk: 'any', MonitoringResponsible: 'any', Provider: 'own-seller' }
}

/** Contracts: who may deliver to whom, and when. */
export const contractRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { ContractInput, ContractReplacement } = contractSchemas(
    inputSchemas(app.limits),
    app.limits.referenceList
  )

  createRoute(app, name, {
    access: create,
    body: ContractInput,
    locate: (id) => app.references.url(contractKind, id),
    run: (actor, input) => createContract(app, actor, input)
  })
  replaceRoutes(app, name, {
    access: update,
    body: ContractReplacement,
    run: (actor, id, input) => replaceContract(app, actor, id, input)
  })
  readRoute(app, name, { access: read, answer: Contract, run: (actor, id) => viewContract(app, actor, id) })
}
