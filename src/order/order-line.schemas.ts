import { type Static, Type } from '@sinclair/typebox'
import { Coding, Id, type InputSchemas, Maybe, NoId, Strict, Url } from '../platform/schemas.js'

export function orderLineSchemas({ Text, Reference, CodingOrCode }: InputSchemas) {
  const members = {
    order: Reference('URL of the order.'),
    item: Reference('URL of the catalogue item.'),
    action: CodingOrCode('What is asked for, such as DELIVER or REPAIR; as a Coding or as the bare code.')
  }
  const status = CodingOrCode('UNFULFILLED (default) or SUBMITTED; as a Coding or as the bare code.')
  return {
    OrderLineInput: Strict({ id: NoId, status: Maybe(status), ...members }, 'One item of an order.'),
    /** What a JSON Patch may leave behind. */
    PatchedOrderLine: Strict({ id: Text('Id of the line.'), status, ...members })
  }
}
export type OrderLineInput = Static<ReturnType<typeof orderLineSchemas>['OrderLineInput']>
export type PatchedOrderLine = Static<ReturnType<typeof orderLineSchemas>['PatchedOrderLine']>

export const OrderLine = Type.Object(
  {
    id: Id,
    order: Url('URL of the order.'),
    status: Coding,
    item: Url('URL of the catalogue item.'),
    action: Coding
  },
  { description: 'One item of an order.' }
)
export type OrderLine = Static<typeof OrderLine>
