import { type Static, Type } from '@sinclair/typebox'
import type { InputSchemas } from '../../platform/schemas/input-schemas.js'
import { CodingOf, Id, Maybe, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { lineExample } from './order.examples.js'
import { orderLineResource } from './resources.js'

export function orderLineSchemas({ Text, Reference, CodingOrCode }: InputSchemas) {
  const members = {
    order: Reference('URL of the order, a DRAFT of the caller’s organization.', lineExample.order),
    item: Reference('URL of the catalogue item.', lineExample.item),
    action: CodingOrCode(
      'Ordered action, such as DELIVER or REPAIR, as a Coding or as the bare code.',
      lineExample.action
    )
  }
  const status = CodingOrCode(
    'UNFULFILLED (default) or SUBMITTED, as a Coding or as the bare code.',
    lineExample.initialStatus
  )
  return {
    OrderLineInput: Strict(
      { id: NoId, status: Maybe(status), ...members },
      'One item of an order.',
      'OrderLineInput'
    ),
    /** A valid result of a JSON Patch. */
    PatchedOrderLine: Strict({ id: Text('Id of the line.'), status, ...members })
  }
}
export type OrderLineInput = Static<ReturnType<typeof orderLineSchemas>['OrderLineInput']>
export type PatchedOrderLine = Static<ReturnType<typeof orderLineSchemas>['PatchedOrderLine']>

export const OrderLine = Type.Object(
  {
    id: Id(orderLineResource, 'monitor'),
    order: Url('URL of the order.', lineExample.order),
    status: CodingOf(
      'UNFULFILLED, SUBMITTED, FULFILLED or CANCELLED, from the value set order-line-status.',
      lineExample.status
    ),
    item: Url('URL of the catalogue item.', lineExample.item),
    action: CodingOf('Ordered action, from the value set order-line-action.', lineExample.action)
  },
  { title: 'OrderLine', description: 'One item of an order.' }
)
export type OrderLine = Static<typeof OrderLine>
