import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { AccessRule } from '../../platform/auth/access.js'
import { orderBehindPath, orderNamed } from '../../platform/auth/audit-rule.js'
import { JsonPatch } from '../../platform/json/json-patch.js'
import { compileSchema } from '../../platform/json/validation.js'
import { listRoute, urlFilter } from '../../platform/rest/list-route.js'
import {
  createRoute,
  deleteRoute,
  patchRoute,
  type ResourceName,
  readRoute
} from '../../platform/rest/resource-routes.js'
import { inputSchemas } from '../../platform/schemas/schemas.js'
import { createOrderLine, deleteOrderLine, patchOrderLine } from '../commands/order-line.commands.js'
import { OrderLine, orderLineSchemas } from '../model/order-line.schemas.js'
import { orderKind, orderLineKind } from '../model/resources.js'
import { listOrderLines, type OrderLineFilters, viewOrderLine } from '../queries/order-line.queries.js'
import { lookUpOrder, orderOfLine } from '../store/visibility.js'
import { lineMovesDocs, lineRefusals, unorderable } from './order.docs.js'

const name: ResourceName = {
  type: 'OrderLine',
  noun: 'order line',
  description: 'One item of an order each, and what is to be done with it.',
  resource: orderLineKind
}

const buyer = { MonitoringResponsible: 'own-buyer' } as const
const both = { ...buyer, Provider: 'own-seller' } as const
const create: AccessRule = { permission: 'OrderLine.create', scopes: buyer, patientData: true }
const update: AccessRule = { permission: 'OrderLine.update', scopes: both, patientData: true }
const remove: AccessRule = { permission: 'OrderLine.delete', scopes: buyer, patientData: true }
const read: AccessRule = { permission: 'OrderLine.read', scopes: both, patientData: true }

/** Order lines: one item each, and what is to be done with it. */
export const orderLineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { OrderLineInput, PatchedOrderLine } = orderLineSchemas(inputSchemas(app.limits))
  const patched = compileSchema(PatchedOrderLine)
  const orderByUrl = (url = '') => orderNamed(app.resourceUrls.id(orderKind, url))
  const orderBehindLine = orderBehindPath((id) => lookUpOrder(app.db, orderOfLine(id)))

  createRoute(app, name, {
    access: create,
    audit: ({ order }) => orderByUrl(order),
    docs: {
      description:
        'The order is a DRAFT. The item is AVAILABLE, in an ACTIVE catalogue of the order’s seller, who has a contract with the buyer in force today; it is on the buyer’s white list and not on the patient’s black list.',
      errors: [
        ...[
          'order-not-draft',
          'not-initial-status',
          'too-many-lines',
          'dangling-reference',
          'unknown-coding'
        ],
        ...unorderable
      ]
    },
    body: OrderLineInput,
    locate: (id) => app.resourceUrls.url(orderLineKind, id),
    run: (actor, input) => createOrderLine(app, actor, input)
  })
  patchRoute(app, name, {
    access: update,
    audit: orderBehindLine,
    docs: { description: lineMovesDocs, errors: lineRefusals },
    body: JsonPatch(app.limits.patchOperations),
    run: (actor, id, patch) => patchOrderLine(app, actor, id, patch, patched)
  })
  listRoute<OrderLineFilters, string, typeof OrderLine>(app, name, {
    path: 'order-lines',
    singular: true,
    access: read,
    audit: { subjects: ({ order }) => orderByUrl(order) },
    filters: {
      order: urlFilter('URL of the order.'),
      status: Type.Optional(Type.String({ maxLength: 255, description: 'Code of an order line status.' }))
    },
    response: OrderLine,
    run: (actor, filters, page) => listOrderLines(app, actor, filters, page)
  })
  readRoute(app, name, {
    access: read,
    audit: orderBehindLine,
    response: OrderLine,
    run: (actor, id) => viewOrderLine(app, actor, id)
  })
  deleteRoute(app, name, {
    access: remove,
    audit: orderBehindLine,
    docs: { description: 'Takes an open line out of a DRAFT.', errors: ['not-deletable'] },
    run: (actor, id) => deleteOrderLine(app, actor, id)
  })
}
