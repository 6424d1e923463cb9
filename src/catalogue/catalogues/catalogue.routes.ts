import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { putRoutes, replacementOf } from '../../platform/rest/put-routes.js'
import type { ResourceView } from '../../platform/rest/representation.js'
import { createRoute, readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { catalogueRead } from '../catalogue.access.js'
import { catalogueResource } from '../resources.js'
import {
  type CatalogueFilters,
  catalogueFilters,
  listCatalogues,
  viewCatalogue
} from './catalogue.queries.js'
import { Catalogue, CatalogueInput } from './catalogue.schemas.js'
import { createCatalogue, replaceCatalogue } from './catalogue.service.js'

const name: ResourceName = {
  type: 'Catalogue',
  noun: 'catalogue',
  description:
    'Catalogues of the items that providers deliver under their contracts. Items can only be ordered from an ACTIVE catalogue.',
  resource: catalogueResource
}

const refusals = ['dangling-reference', 'wrong-role', 'unknown-coding'] as const

const write = { AdministrativeClerk: 'administered', Provider: 'own-seller' } as const
const create: AccessRule = { permission: 'Catalogue.create', scopes: write }
const update: AccessRule = { permission: 'Catalogue.update', scopes: write }

export const catalogueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const view: ResourceView = {
    access: catalogueRead,
    response: Catalogue,
    run: (call, id) => viewCatalogue(app, call, id)
  }
  createRoute(app, name, {
    access: create,
    docs: { description: 'The default status is DRAFT.', errors: refusals },
    body: CatalogueInput,
    run: (call, input) => createCatalogue(app, call, input),
    view
  })
  putRoutes(app, name, {
    access: update,
    docs: {
      description:
        'The seller cannot change while a service of the catalogue relates to a device model of another catalogue, or vice versa.',
      errors: [...refusals, 'fixed-seller']
    },
    body: replacementOf(name, CatalogueInput, Catalogue),
    run: (call, id, input) => replaceCatalogue(app, call, id, input),
    view
  })
  listRoute<CatalogueFilters, string, typeof Catalogue>(app, name, {
    path: 'catalogues',
    singular: true,
    access: catalogueRead,
    filters: catalogueFilters,
    response: Catalogue,
    run: (call, filters, page) => listCatalogues(app, call, filters, page)
  })
  readRoute(app, name, view)
}
