import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccessRule } from '../platform/access.js'
import { listRoute, urlFilter } from '../platform/list-route.js'
import { type ResourceName, readRoute } from '../platform/resource-routes.js'
import { traceLineKind } from './kinds.js'
import { TraceLine } from './trace.schemas.js'
import { listTraceLines, type TraceFilters, type TraceKey, viewTraceLine } from './trace.view.js'

const name: ResourceName = {
  type: 'TraceLine',
  noun: 'trace line',
  about: 'What happened to an order, step by step. Trace lines are written by what happens and never change.',
  kind: traceLineKind
}

const read: AccessRule = {
  permission: 'TraceLine.read',
  scopes: { MonitoringResponsible: 'own-buyer', Provider: 'own-seller' },
  patientData: true
}

/** Trace lines: what happened to an order. They are written by what happens, and by nothing else. */
export const traceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  readRoute(app, name, { access: read, answer: TraceLine, run: (actor, id) => viewTraceLine(app, actor, id) })
  listRoute<TraceFilters, TraceKey, typeof TraceLine>(app, name, {
    path: 'trace-lines',
    remarks: { about: 'Oldest first. `order` or `orderLine` is required, unless a cursor is sent.' },
    access: read,
    filters: {
      order: urlFilter('URL of the order. This or orderLine is required.'),
      orderLine: urlFilter('URL of the order line.')
    },
    answer: TraceLine,
    run: (actor, filters, page) => listTraceLines(app, actor, filters, page)
  })
}
