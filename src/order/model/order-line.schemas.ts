import { type Static, Type } from '@sinclair/typebox'
import { CodingOf, Id, type InputSchemas, Maybe, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { lineSample } from './order.examples.js'
import { orderLineKind } from './resources.js'

export function orderLineSchemas({ Text, Reference, CodingOrCode }: InputSchemas) {
  const members = {
    order: Reference('URL of the order, which is a draft of the caller’s organization.', lineSample.order),
    item: Reference('URL of the catalogue item.', lineSample.item),
    action: CodingOrCode(
      'What is asked for, such as DELIVER or REPAIR; as a Coding or as the bare code.',
      lineSample.action
    )
  }
  const status = CodingOrCode(
    'UNFULFILLED (default) or SUBMITTED; as a Coding or as the bare code.',
    lineSample.initialStatus
  )
  return {
    OrderLineInput: Strict(
      { id: NoId, status: Maybe(status), ...members },
      'One item of an order.',
      'OrderLineInput'
    ),
    /** What a JSON Patch may leave behind. */
    PatchedOrderLine: Strict({ id: Text('Id of the line.'), status, ...members })
  }
}
export type OrderLineInput = Static<ReturnType<typeof orderLineSchemas>['OrderLineInput']>
export type PatchedOrderLine = Static<ReturnType<typeof orderLineSchemas>['PatchedOrderLine']>

export const OrderLine = Type.Object(
  {
    id: Id(orderLineKind, 'monitor'),
    order: Url('URL of the order.', lineSample.order),
    status: CodingOf(
      'UNFULFILLED, SUBMITTED, FULFILLED or CANCELLED, of the value set order-line-status.',
      lineSample.status
    ),
    item: Url('URL of the catalogue item.', lineSample.item),
    action: CodingOf('What is asked for, of the value set order-line-action.', lineSample.action)
  },
  { title: 'OrderLine', description: 'One item of an order.' }
)
export type OrderLine = Static<typeof OrderLine>
