import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { orderBehindPath, orderSubjects, patientSubjects } from '../../platform/auth/audit-rule.js'
import type { Call } from '../../platform/auth/call.js'
import { JsonPatch } from '../../platform/json/json-patch.js'
import { compilePatchResultSchema } from '../../platform/json/validation.js'
import { bulkPatchRoute } from '../../platform/rest/bulk-route.js'
import { expandParameter } from '../../platform/rest/expand.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { createRoute, deleteRoute, patchRoute, readRoute } from '../../platform/rest/resource-routes.js'
import type { ResourceName } from '../../platform/rest/route-config.js'
import { createOrderLine } from '../create.js'
import { lineExpansions } from '../lists/expand-lines.js'
import { lineParameters, type OrderLineFilters } from '../lists/line-filters.js'
import { listOrderLines, parseLineQuery } from '../lists/lines.js'
import { lineColumns, listOrderLinesAsCsv } from '../lists/lines-csv.js'
import type { LinePosition } from '../lists/select-lines.js'
import { OrderLine, OrderLineInput, OrderLinePatches, PatchedOrderLine } from '../model/order-line.schemas.js'
import { orderLineResource, orderResource } from '../model/resources.js'
import { patchLines } from '../patch/line-patch.js'
import { lineIdsIn, patchOrderLines } from '../patch/several-lines.js'
import { viewOrderLine, viewOrderLines } from '../queries/view-order.js'
import { deleteOrderLine } from '../remove.js'
import { findOrdersOfLines, lookUpOrderForAudit } from '../store/find-order.js'
import { lineCreate, lineDelete, lineRead, lineUpdate } from './order.access.js'
import { lineErrors, lineTransitionDocs, orderabilityErrors, severalLinesDocs } from './order.docs.js'

const name: ResourceName = {
  type: 'OrderLine',
  noun: 'order line',
  description: 'Lines of orders: one item each, and the ordered action.',
  resource: orderLineResource
}

export const orderLineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const patched = compilePatchResultSchema(PatchedOrderLine)
  const orderByUrl = (url = '') => orderSubjects(app.resourceUrls.id(orderResource, url))
  const orderBehindLine = orderBehindPath((id) => lookUpOrderForAudit('line', app.db, id))
  const view = (call: Call, id: string) => viewOrderLine(app, call, id)

  createRoute(app, name, {
    access: lineCreate,
    audit: ({ order }) => orderByUrl(order),
    docs: {
      description:
        'The order must be a DRAFT. The item must be AVAILABLE in an ACTIVE catalogue of the order’s seller, on the buyer’s white list and not on the patient’s black list. Seller and buyer must have a contract in force today. A line about a device, such as its pick-up or repair, names the line that delivered the device as `relatedTo`. That line is of the same patient, its device is in use, and the item serves the device.',
      errors: [
        ...['order-not-draft', 'not-initial-status', 'too-many-lines'],
        ...['dangling-reference', 'unknown-coding'],
        ...orderabilityErrors
      ]
    },
    body: OrderLineInput,
    run: (call, input) => createOrderLine(app, call, input),
    view: { access: lineRead, response: OrderLine, run: view }
  })
  patchRoute(app, name, {
    access: lineUpdate,
    audit: orderBehindLine,
    docs: { description: lineTransitionDocs, errors: lineErrors },
    body: JsonPatch,
    run: (call, id, patch) => patchLines(app, call, [{ id, patch }], patched),
    view: { access: lineRead, response: OrderLine, run: view }
  })
  bulkPatchRoute(app, name, {
    path: 'order-lines',
    access: lineUpdate,
    audit: {
      lookUp: async ({ body }) => {
        const found = await findOrdersOfLines(app.db, lineIdsIn(app, body))
        return found.flatMap(({ order }) => orderSubjects(order))
      }
    },
    docs: { description: severalLinesDocs, errors: [...lineErrors, 'bad-request'] },
    body: OrderLinePatches,
    run: (call, patches) => patchOrderLines(app, call, patches, patched),
    view: {
      access: lineRead,
      response: OrderLine,
      run: async (call, ids) => (await viewOrderLines(app, call, ids)).map(({ resource }) => resource)
    }
  })
  listRoute<OrderLineFilters, LinePosition, typeof OrderLine>(app, name, {
    path: 'order-lines',
    singular: true,
    docs: {
      description:
        'Order by order, in order of creation, or by the agreed time with `sort=agreedFrom`. The devices at a patient’s home: `patient` and `inUse=true`. A provider’s round of a day: `agreedFrom` and `agreedTo` with the day, and `sort=agreedFrom`. `Accept: text/csv` gets a table for spreadsheets.'
    },
    access: lineRead,
    audit: {
      subjects: ({ order, patient }) => [...patientSubjects(patient), ...orderByUrl(order)],
      lookUp: async ({ relatedTo = '' }) => {
        const id = app.resourceUrls.id(orderLineResource, relatedTo)
        return id === undefined ? [] : lookUpOrderForAudit('line', app.db, id)
      }
    },
    filters: {
      schemas: { ...lineParameters, expand: expandParameter(lineExpansions) },
      parse: parseLineQuery
    },
    response: OrderLine,
    run: (call, filters, page) => listOrderLines(app, call, filters, page),
    csv: {
      columns: lineColumns,
      run: (call, filters, page) => listOrderLinesAsCsv(app, call, filters, page)
    }
  })
  readRoute(app, name, {
    access: lineRead,
    audit: orderBehindLine,
    response: OrderLine,
    run: view
  })
  deleteRoute(app, name, {
    access: lineDelete,
    audit: orderBehindLine,
    docs: { description: 'Only an open line of a DRAFT can be deleted.', errors: ['not-deletable'] },
    run: (call, id) => deleteOrderLine(app, call, id)
  })
}
