import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createRoutes } from '../../platform/rest/bulk-route.js'
import { listRoute } from '../../platform/rest/list-route.js'
import type { ResourceView } from '../../platform/rest/representation.js'
import { deleteRoute, readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { whiteListAccess } from '../catalogue.access.js'
import { whiteListResource } from '../resources.js'
import { toWhiteListEntry } from '../serializers.js'
import { type WhiteListFilters, whiteListFilters, whiteListQueries } from './white-list.queries.js'
import { WhiteListEntry, WhiteListInput } from './white-list.schemas.js'
import { createWhiteListEntries, deleteWhiteListEntry } from './white-list.service.js'

const name: ResourceName = {
  type: 'WhiteList',
  noun: 'white list entry',
  description: 'Items that a buyer may order. A buyer can only order items on its white list.',
  resource: whiteListResource
}

const docs = {
  description: 'An item can be on the white list of a buyer only once.',
  errors: ['duplicate-entry', 'dangling-reference', 'wrong-role']
}

const { create, delete: remove, read } = whiteListAccess

export const whiteListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const view: ResourceView = {
    access: read,
    response: WhiteListEntry,
    run: (call, id) => whiteListQueries.view(app, call, id)
  }
  createRoutes(app, name, {
    path: 'white-lists',
    access: create,
    docs,
    body: WhiteListInput,
    run: (call, entries) => createWhiteListEntries(app, call, entries),
    toResource: (_call, row) => toWhiteListEntry(app, row),
    view,
    viewAll: (call, ids) => whiteListQueries.viewAll(app, call, ids)
  })
  readRoute(app, name, view)
  deleteRoute(app, name, { access: remove, run: (call, id) => deleteWhiteListEntry(app, call, id) })
  listRoute<WhiteListFilters, string, typeof WhiteListEntry>(app, name, {
    path: 'white-lists',
    singular: true,
    access: read,
    filters: whiteListFilters,
    response: WhiteListEntry,
    run: (call, filters, page) => whiteListQueries.list(app, call, filters, page)
  })
}
