import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Call } from '../../platform/auth/call.js'
import { bulkCreateRoute } from '../../platform/rest/bulk-route.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { createRoute, deleteRoute, readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { whiteListAccess } from '../catalogue.access.js'
import { whiteListResource } from '../resources.js'
import {
  listWhiteListEntries,
  viewWhiteListEntries,
  viewWhiteListEntry,
  type WhiteListFilters,
  whiteListFilters
} from './white-list.queries.js'
import { WhiteListEntry, WhiteListInput, WhiteListsInput } from './white-list.schemas.js'
import { createWhiteListEntries, createWhiteListEntry, deleteWhiteListEntry } from './white-list.service.js'

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

/** Routes of white list entries. */
export const whiteListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const view = (_actor: Call, id: string) => viewWhiteListEntry(app, id)

  createRoute(app, name, {
    access: create,
    docs,
    body: WhiteListInput,
    locate: (id) => app.resourceUrls.url(whiteListResource, id),
    run: (call, input) => createWhiteListEntry(app, call, input),
    view: { access: read, response: WhiteListEntry, run: view }
  })
  bulkCreateRoute(app, name, {
    path: 'white-lists',
    access: create,
    docs,
    body: WhiteListsInput,
    response: WhiteListEntry,
    run: (call, inputs) => createWhiteListEntries(app, call, inputs),
    view: { access: read, run: (_actor, ids) => viewWhiteListEntries(app, ids) }
  })
  readRoute(app, name, {
    access: read,
    response: WhiteListEntry,
    run: view
  })
  deleteRoute(app, name, { access: remove, run: (call, id) => deleteWhiteListEntry(app, call, id) })
  listRoute<WhiteListFilters, string, typeof WhiteListEntry>(app, name, {
    path: 'white-lists',
    singular: true,
    access: read,
    filters: whiteListFilters,
    response: WhiteListEntry,
    run: (_actor, filters, page) => listWhiteListEntries(app, filters, page)
  })
}
