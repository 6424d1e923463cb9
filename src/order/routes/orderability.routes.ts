import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import { patientSubjects } from '../../platform/auth/audit-rule.js'
import { routeDoc } from '../../platform/rest/route-config.js'
import { NoQuery } from '../../platform/schemas/schemas.js'
import { untilDeadline } from '../../platform/server/until-deadline.js'
import { ItemOrderability, OrderabilityInput } from '../model/orderability.schemas.js'
import { checkOrderability } from '../queries/check-orderability.js'
import { orderCreate } from './order.access.js'
import { orderTag } from './order.docs.js'

/** Route of the orderability check, which has the access rule of a new order. */
export const orderabilityRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const response: Record<number, TSchema> = {
    200: Type.Array(ItemOrderability, { description: 'The items, in the order of the body.' })
  }
  app.post(
    '/orderability',
    {
      config: {
        access: orderCreate,
        isSearch: true,
        audit: { body: (body) => patientSubjects((body as OrderabilityInput).patient) },
        doc: routeDoc(
          orderTag,
          'Checks which items a buyer can order for a patient today, and returns every reason why an item cannot be ordered. Writes nothing.',
          {
            description:
              'The rules and the codes of the reasons are those of `POST /order-line`; an unknown item has the reason `dangling-reference`. A consent of the patient is checked only at submission.',
            errors: ['dangling-reference', 'wrong-role', 'clinical-backend-unavailable']
          }
        )
      },
      schema: {
        operationId: 'checkOrderability',
        summary: 'Check which items can be ordered',
        tags: ['Order'],
        querystring: NoQuery,
        body: OrderabilityInput,
        response
      }
    },
    untilDeadline(({ state, body }) => checkOrderability(app, state.call, body))
  )
}
