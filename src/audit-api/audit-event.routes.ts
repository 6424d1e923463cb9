import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { orderResource } from '../order/model/resources.js'
import type { AccessRule } from '../platform/auth/access-rule.js'
import { noAuditSubjects, orderSubjects, patientSubjects } from '../platform/auth/audit-rule.js'
import { listRoute } from '../platform/rest/list-route.js'
import { readRoute } from '../platform/rest/resource-routes.js'
import type { ResourceName } from '../platform/rest/route-config.js'
import { type AuditKey, auditFilters } from './audit-event.candidates.js'
import { type AuditFilters, listAuditEvents, viewAuditEvent } from './audit-event.queries.js'
import { AuditEvent } from './audit-event.schemas.js'
import { auditEventResource } from './resources.js'

const name: ResourceName = {
  type: 'AuditEvent',
  noun: 'audit event',
  description:
    'Records of who read or wrote which patients’ data. Every such request is recorded; audit events never change.',
  resource: auditEventResource
}

const read: AccessRule = {
  permission: 'AuditEvent.read',
  scopes: { MonitoringResponsible: 'own-buyer', Provider: 'own-seller' },
  patientData: true
}

export const auditEventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  readRoute(app, name, {
    access: read,
    audit: noAuditSubjects,
    response: AuditEvent,
    run: (call, id) => viewAuditEvent(app, call, id)
  })
  listRoute<AuditFilters, AuditKey, typeof AuditEvent>(app, name, {
    path: 'audit-events',
    docs: {
      description:
        'Newest first: the requests of the caller’s side of its organization. With `order`, for a buyer of that order: the requests of all callers on this order, reduced to this order.'
    },
    access: read,
    audit: {
      subjects: ({ patient, order = '' }) => [
        ...patientSubjects(patient),
        ...orderSubjects(app.resourceUrls.id(orderResource, order))
      ]
    },
    filters: auditFilters,
    response: AuditEvent,
    run: (call, filters, page) => listAuditEvents(app, call, filters, page)
  })
}
