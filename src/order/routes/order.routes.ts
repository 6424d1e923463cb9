import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import type { AccessRule } from '../../platform/auth/access.js'
import { orderInPath, patientNamed } from '../../platform/auth/audit-rule.js'
import { JsonPatch } from '../../platform/json/json-patch.js'
import { compileSchema } from '../../platform/json/validation.js'
import { listRoute, urlFilter } from '../../platform/rest/list-route.js'
import {
  createRoute,
  deleteRoute,
  patchRoute,
  type ResourceName,
  readRoute,
  routeDoc
} from '../../platform/rest/resource-routes.js'
import { ById, Enum, inputSchemas } from '../../platform/schemas/schemas.js'
import { searchBound } from '../../platform/util/search-text.js'
import { createOrder, deleteOrder } from '../commands/order.commands.js'
import { patchOrder } from '../commands/patch-order.js'
import { detailsSample } from '../model/order.examples.js'
import { flatOrder, Order, orderSchemas } from '../model/order.schemas.js'
import { OrderLine } from '../model/order-line.schemas.js'
import { orderKind } from '../model/resources.js'
import { TraceLine } from '../model/trace-line.schemas.js'
import { listOrders, type OrderFilters } from '../queries/list-orders.js'
import { viewOrder, viewOrderDetails } from '../queries/view-order.js'
import { notesBound, orderMovesDocs, orderRefusals } from './order.docs.js'

const name: ResourceName = {
  type: 'Order',
  noun: 'order',
  description: 'What a buyer wants of a provider for a patient, from the draft until it is done.',
  resource: orderKind
}

const buyer = { MonitoringResponsible: 'own-buyer' } as const
const both = { ...buyer, Provider: 'own-seller' } as const
const create: AccessRule = { permission: 'Order.create', scopes: buyer, patientData: true }
const update: AccessRule = { permission: 'Order.update', scopes: both, patientData: true }
const remove: AccessRule = { permission: 'Order.delete', scopes: buyer, patientData: true }
const read: AccessRule = { permission: 'Order.read', scopes: both, patientData: true }

const period = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

const OrderDetails = Type.Object(
  {
    order: Type.Optional(Order),
    ...flatOrder,
    orderLines: Type.Array(OrderLine, { description: 'Lines of the order.' }),
    traceLines: Type.Array(TraceLine, { description: 'Progression of the order, oldest first.' })
  },
  {
    title: 'OrderDetails',
    example: detailsSample,
    description:
      'An order with its lines and its trace; in the flat form the order’s members stand at the top.'
  }
)

/** Orders: created as drafts, submitted to a provider, followed until they are done. */
export const orderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { limits, resourceUrls } = app
  const { OrderInput, PatchedOrder } = orderSchemas(inputSchemas(limits), limits)
  const patched = compileSchema(PatchedOrder)

  createRoute(app, name, {
    access: create,
    audit: ({ receiver }) => patientNamed(receiver.patient ?? receiver.clinicalRef),
    docs: {
      description: `It is a DRAFT, which its buyer alone sees; lines are added and it is submitted afterwards. ${notesBound(limits)}`,
      errors: [
        ...['not-initial-status', 'dangling-reference', 'wrong-role', 'unknown-coding', 'too-many-notes'],
        'clinical-backend-unavailable'
      ]
    },
    body: OrderInput,
    locate: (id) => resourceUrls.url(orderKind, id),
    run: (actor, input) => createOrder(app, actor, input)
  })
  patchRoute(app, name, {
    access: update,
    audit: orderInPath,
    docs: { description: `${orderMovesDocs}\n\n${notesBound(limits)}`, errors: orderRefusals },
    body: JsonPatch(limits.patchOperations),
    run: (actor, id, patch) => patchOrder(app, actor, id, patch, patched)
  })
  listRoute<OrderFilters, string, typeof Order>(app, name, {
    path: 'orders',
    singular: true,
    docs: { description: 'Newest first. A DRAFT is seen by its buyer alone.' },
    access: read,
    audit: { subjects: ({ patient }) => patientNamed(patient) },
    filters: {
      buyer: urlFilter('URL of the buying party.'),
      seller: urlFilter('URL of the party that delivers.'),
      patient: urlFilter('URL of the clinical Patient.'),
      status: Type.Optional(Type.String({ maxLength: 255, description: 'Code of an order status.' })),
      priority: Type.Optional(Type.Boolean({ description: 'Whether the order is urgent.' })),
      from: period('First day of creation, yyyy-mm-dd, or first moment.'),
      to: period('Last day of creation, yyyy-mm-dd, or the moment before which.'),
      q: Type.Optional(
        Type.String({
          maxLength: 4000,
          description: `Words of name, identifiers and receiver’s name; all must be found. ${searchBound(limits)}`
        })
      )
    },
    response: Order,
    run: (actor, filters, page) => listOrders(app, actor, filters, page)
  })
  readRoute(app, name, {
    access: read,
    audit: orderInPath,
    response: Order,
    run: (actor, id) => viewOrder(app, actor, id)
  })
  deleteRoute(app, name, {
    access: remove,
    audit: orderInPath,
    docs: {
      description: 'Only a DRAFT can be deleted; a running order can be cancelled.',
      errors: ['not-deletable']
    },
    run: (actor, id) => deleteOrder(app, actor, id)
  })

  const response: Record<number, TSchema> = { 200: OrderDetails }
  app.get(
    '/order/:id/details',
    {
      config: {
        access: read,
        audit: orderInPath,
        doc: routeDoc(
          name.description,
          'Answers an order with its lines and everything that happened to it, in one answer.',
          {}
        )
      },
      schema: {
        operationId: 'getOrderDetails',
        summary: 'Read an order with its lines and its trace',
        tags: ['Order'],
        params: ById,
        querystring: Type.Object(
          {
            form: Type.Optional(
              Enum(['nested', 'flat'], 'Whether the order is a member of its own. Default: nested.')
            )
          },
          { additionalProperties: false }
        ),
        response
      }
    },
    (request) => viewOrderDetails(app, request.actor, request.params.id, request.query.form ?? 'nested')
  )
}
