import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { orderBehindPath, orderSubjects } from '../../platform/auth/audit-rule.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { orderLineResource, orderResource, traceLineResource } from '../model/resources.js'
import { TraceLine } from '../model/trace-line.schemas.js'
import {
  listTraceLines,
  type TraceFilters,
  traceFilters,
  viewTraceLine
} from '../queries/trace-line.queries.js'
import { lookUpOrderForAudit } from '../store/find-order.js'
import { traceRead } from './order.access.js'

const name: ResourceName = {
  type: 'TraceLine',
  noun: 'trace line',
  description: 'The history of orders, one event each. The server writes trace lines; they never change.',
  resource: traceLineResource
}

/** Routes of trace lines, which only changes of orders write. */
export const traceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, resourceUrls } = app
  readRoute(app, name, {
    access: traceRead,
    audit: orderBehindPath((id) => lookUpOrderForAudit('trace', db, id)),
    response: TraceLine,
    run: (call, id) => viewTraceLine(app, call, id)
  })
  listRoute<TraceFilters, number, typeof TraceLine>(app, name, {
    path: 'trace-lines',
    docs: { description: 'Oldest first. `order` or `orderLine` is required, except with a cursor.' },
    access: traceRead,
    audit: {
      subjects: ({ order = '' }) => orderSubjects(resourceUrls.id(orderResource, order)),
      lookUp: async ({ orderLine = '' }) => {
        const id = resourceUrls.id(orderLineResource, orderLine)
        return id === undefined ? [] : lookUpOrderForAudit('line', db, id)
      }
    },
    filters: traceFilters,
    response: TraceLine,
    run: (call, filters, page) => listTraceLines(app, call, filters, page)
  })
}
