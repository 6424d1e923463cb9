import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import { orderInPath, patientSubjects } from '../../platform/auth/audit-rule.js'
import type { Call } from '../../platform/auth/call.js'
import { authorizeAs } from '../../platform/auth/scope.js'
import { JsonPatch } from '../../platform/json/json-patch.js'
import { compilePatchResultSchema } from '../../platform/json/validation.js'
import { recordRevision } from '../../platform/rest/etag.js'
import { expandParameter, parseExpand } from '../../platform/rest/expand.js'
import { listRoute } from '../../platform/rest/list-route.js'
import { createRoute, deleteRoute, patchRoute, readRoute } from '../../platform/rest/resource-routes.js'
import { type ResourceName, routeDoc } from '../../platform/rest/route-config.js'
import { ById, Enum } from '../../platform/schemas/schemas.js'
import { untilDeadline } from '../../platform/server/until-deadline.js'
import { createOrder } from '../create.js'
import { orderExpansions } from '../lists/expand-orders.js'
import { type OrderFilters, orderFilters } from '../lists/order-filters.js'
import { orderSorts } from '../lists/order-sort.js'
import { listOrders, type OrderCursor, parseOrderQuery } from '../lists/orders.js'
import { Order, OrderDetails, OrderInput, PatchedOrder } from '../model/order.schemas.js'
import { orderResource } from '../model/resources.js'
import { patchOrder } from '../patch/order-patch.js'
import { viewOrder, viewOrderDetails } from '../queries/view-order.js'
import { deleteOrder } from '../remove.js'
import { lineCreate, orderCreate, orderDelete, orderRead, orderUpdate } from './order.access.js'
import {
  listDocs,
  notesLimitText,
  orderabilityErrors,
  orderErrors,
  orderTag,
  orderTransitionDocs
} from './order.docs.js'

const name: ResourceName = {
  type: 'Order',
  noun: 'order',
  description: orderTag,
  resource: orderResource
}

const expand = expandParameter(orderExpansions)

export const orderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { limits } = app
  const patched = compilePatchResultSchema(PatchedOrder)
  const view = (call: Call, id: string) => viewOrder(app, call, id)

  createRoute(app, name, {
    access: orderCreate,
    audit: ({ receiver }) => patientSubjects(receiver.patient ?? receiver.clinicalRef),
    docs: {
      description: `The order is a DRAFT, which only its buyer sees. It is created with its \`orderLines\`, or not at all; they require the permission \`OrderLine.create\`, and each must be orderable as at \`POST /order-line\`. More lines can be added before it is submitted. ${notesLimitText(limits)}`,
      errors: [
        ...['not-initial-status', 'dangling-reference', 'wrong-role', 'invalid-period'],
        ...['unknown-coding', 'too-many-notes'],
        ...orderabilityErrors,
        'clinical-backend-unavailable'
      ]
    },
    body: OrderInput,
    run: (call, input) => {
      const hasLines = (input.orderLines ?? []).length > 0
      return createOrder(app, hasLines ? authorizeAs(call, lineCreate) : call, input)
    },
    view: { access: orderRead, response: Order, run: view }
  })
  patchRoute(app, name, {
    access: orderUpdate,
    audit: orderInPath,
    docs: { description: `${orderTransitionDocs}\n\n${notesLimitText(limits)}`, errors: orderErrors },
    body: JsonPatch,
    run: (call, id, patch) => patchOrder(app, call, id, patch, patched),
    view: { access: orderRead, response: Order, run: view }
  })
  listRoute<OrderFilters, OrderCursor, typeof Order>(app, name, {
    path: 'orders',
    singular: true,
    docs: { description: listDocs },
    access: orderRead,
    audit: { subjects: ({ patient }) => patientSubjects(patient) },
    filters: {
      schemas: {
        ...orderFilters.schemas,
        sort: Type.Optional(
          Enum(
            orderSorts,
            'Newest (default), last submitted or last changed first, or urgent orders first. `due`: by the earliest time at which the order is or becomes late or unanswered, oldest first, orders without such a time last.'
          )
        ),
        expand,
        count: Type.Optional(Type.Boolean({ description: 'Whether to count all entries of the list.' }))
      },
      parse: parseOrderQuery
    },
    response: Order,
    run: (call, filters, page) => listOrders(app, call, filters, page)
  })
  readRoute(app, name, {
    access: orderRead,
    audit: orderInPath,
    response: Order,
    query: Type.Object({ expand }, { additionalProperties: false }),
    run: (call, id, query) => viewOrder(app, call, id, parseExpand(query.expand, orderExpansions))
  })
  deleteRoute(app, name, {
    access: orderDelete,
    audit: orderInPath,
    docs: {
      description: 'Only a DRAFT can be deleted. Cancel a submitted order instead.',
      errors: ['not-deletable']
    },
    run: (call, id) => deleteOrder(app, call, id)
  })

  const detailsQuery = Type.Object(
    {
      expand,
      form: Type.Optional(
        Enum(
          ['nested', 'flat'],
          'nested (default): the order is a member. flat: the members of the order are at the root.'
        )
      )
    },
    { additionalProperties: false }
  )
  const response: Record<number, TSchema> = { 200: OrderDetails }
  app.get(
    '/order/:id/details',
    {
      config: {
        access: orderRead,
        audit: orderInPath,
        doc: routeDoc(name.description, 'Returns an order with its lines and its trace.', {})
      },
      schema: {
        operationId: 'getOrderDetails',
        summary: 'Read an order with its lines and its trace',
        tags: ['Order'],
        params: ById,
        querystring: detailsQuery,
        response
      }
    },
    untilDeadline(async (request) => {
      const { state, params, query } = request
      const expansion = parseExpand(query.expand, orderExpansions)
      return recordRevision(
        request,
        await viewOrderDetails(app, state.call, params.id, query.form ?? 'nested', expansion)
      )
    })
  )
}
