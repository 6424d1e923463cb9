import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import { patientSubjects } from '../../platform/auth/audit-rule.js'
import { createRoutes } from '../../platform/rest/bulk-route.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { putRoutes } from '../../platform/rest/put-routes.js'
import type { ResourceView } from '../../platform/rest/representation.js'
import { readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName, RouteDocs } from '../../platform/rest/route-config.js'
import { itemRead, itemWriters } from '../catalogue.access.js'
import { itemResource } from '../resources.js'
import { toItem } from '../serializers.js'
import type { FindShownItems } from '../visibility.js'
import {
  deviceExample,
  deviceResponseExample,
  serviceExample,
  serviceResponseExample
} from './item.examples.js'
import { searchItems, viewItem, viewItems } from './item.queries.js'
import { CatalogueItem, ItemInput, ItemReplacement } from './item.schemas.js'
import { createItems, replaceItem } from './item.service.js'
import { type ItemFilters, itemFilters } from './item-filters.js'
import type { ItemPosition } from './item-search.statement.js'

const name: ResourceName = {
  type: 'CatalogueItem',
  noun: 'catalogue item',
  description: 'Device models and services that providers deliver, and the search for orderable items.',
  resource: itemResource
}

const refusals = ['duplicate-identifier', 'dangling-reference', 'unrelated-item', 'unknown-coding'] as const
const creation: RouteDocs = {
  description:
    'A service can relate to a device model of the same seller. Annotations in the body require permission to create annotations.',
  errors: [...refusals, 'duplicate-annotation', 'wrong-role', 'terminology-unavailable']
}

const create: AccessRule = { permission: 'CatalogueItem.create', scopes: itemWriters }
const update: AccessRule = { permission: 'CatalogueItem.update', scopes: itemWriters }

export const itemRoutes =
  (findShown: FindShownItems): FastifyPluginAsyncTypebox =>
  async (app) => {
    const view: ResourceView = {
      access: itemRead,
      response: CatalogueItem,
      run: (call, id) => viewItem(app, call, id, findShown)
    }
    createRoutes(app, name, {
      path: 'catalogue-items',
      access: create,
      docs: creation,
      body: ItemInput,
      example: {
        request: [deviceExample, serviceExample],
        response: [deviceResponseExample, serviceResponseExample]
      },
      run: (call, entries) => createItems(app, call, entries),
      toResource: (call, row) => toItem(app, call, row),
      view,
      viewAll: (call, ids) => viewItems(app, call, ids)
    })
    putRoutes(app, name, {
      access: update,
      docs: {
        description:
          'The type and the seller cannot change. Annotations are unaffected: an item can be sent as a search returns it, with its `annotations`, which are ignored.',
        errors: [...refusals, 'fixed-type', 'fixed-seller']
      },
      body: ItemReplacement,
      run: (call, id, input) => replaceItem(app, call, id, input),
      view
    })
    readRoute(app, name, view)
    listRoute<ItemFilters, ItemPosition, typeof CatalogueItem>(app, name, {
      path: 'catalogue-items',
      singular: true,
      access: itemRead,
      audit: { subjects: ({ patient }) => patientSubjects(patient) },
      docs: {
        description:
          'Sorted by name. With `buyer`: items that the buyer can order today, each with the buyer’s `annotations` if the caller may read them; not for Provider. With `patient`: without items on the patient’s black list; only for MonitoringResponsible. With `annotation`: items that have all of these annotations; requires the permission `Annotation.read`.'
      },
      filters: itemFilters,
      response: CatalogueItem,
      run: (call, wanted, page) => searchItems(app, call, wanted, page)
    })
  }
