import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule } from '../../platform/auth/access-rule.js'
import { noAuditSubjects, patientSubjects } from '../../platform/auth/audit-rule.js'
import { listRoute } from '../../platform/rest/list-route.js'
import type { ResourceView } from '../../platform/rest/representation.js'
import { createRoute, deleteRoute, readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { blackListResource } from '../resources.js'
import {
  type BlackListFilters,
  blackListFilters,
  listBlackListEntries,
  viewBlackListEntry
} from './black-list.queries.js'
import { BlackListEntry, BlackListInput } from './black-list.schemas.js'
import { createBlackListEntry, deleteBlackListEntry } from './black-list.service.js'

const name: ResourceName = {
  type: 'BlackList',
  noun: 'black list entry',
  description:
    'Items that must not be ordered for a patient. Only the organization that made an entry can read and delete it. It applies to all orders for the patient.',
  resource: blackListResource
}

const docs = {
  description: 'An organization can put an item on the black list of a patient only once.',
  errors: ['duplicate-entry', 'dangling-reference', 'clinical-backend-unavailable']
}

const scopes = { MonitoringResponsible: 'own' } as const
const create: AccessRule = { permission: 'BlackList.create', scopes, patientData: true }
const remove: AccessRule = { permission: 'BlackList.delete', scopes, patientData: true }
const read: AccessRule = { permission: 'BlackList.read', scopes, patientData: true }

export const blackListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const view: ResourceView = {
    access: read,
    response: BlackListEntry,
    run: (call, id) => viewBlackListEntry(app, call, id)
  }
  createRoute(app, name, {
    access: create,
    audit: ({ patient }) => patientSubjects(patient),
    docs,
    body: BlackListInput,
    run: (call, input) => createBlackListEntry(app, call, input),
    view
  })
  readRoute(app, name, { ...view, audit: noAuditSubjects })
  deleteRoute(app, name, {
    access: remove,
    audit: noAuditSubjects,
    run: (call, id) => deleteBlackListEntry(app, call, id)
  })
  listRoute<BlackListFilters, string, typeof BlackListEntry>(app, name, {
    path: 'black-lists',
    singular: true,
    docs: { description: '`patient` is required, except with a cursor.' },
    access: read,
    audit: { subjects: ({ patient }) => patientSubjects(patient) },
    filters: blackListFilters,
    required: ['patient'],
    response: BlackListEntry,
    run: (call, filters, page) => listBlackListEntries(app, call, filters, page)
  })
}
