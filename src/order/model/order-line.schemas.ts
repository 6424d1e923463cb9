import { type Static, Type } from '@sinclair/typebox'
import type { InputSchemas } from '../../platform/schemas/input-schemas.js'
import { CodingOf, Id, Maybe, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { lineExample } from './order.examples.js'
import { orderLineResource } from './resources.js'
import { NoReason, StatusReasonMember, statusReasonInput } from './status-reason.schemas.js'

/** Maximum number of lines that are created together with their order. */
const MAX_NEW_LINES = 100

/** The members of a line besides its order. */
function lineMembers({ Reference, CodingOrCode }: InputSchemas) {
  return {
    status: CodingOrCode(
      'UNFULFILLED (default) or SUBMITTED, as a Coding or as the bare code.',
      lineExample.initialStatus
    ),
    item: Reference('URL of the catalogue item.', lineExample.item),
    action: CodingOrCode(
      'Ordered action, such as DELIVER or REPAIR, as a Coding or as the bare code.',
      lineExample.action
    )
  }
}

/** The lines of a new order, at most as many as an order can have. */
export const newLinesSchema = (inputs: InputSchemas, limits: { referenceList: number }) => {
  const { status, ...members } = lineMembers(inputs)
  const line = Strict(
    { id: NoId, status: Maybe(status), statusReason: NoReason, ...members },
    'An order line that is created together with its order.',
    'NewOrderLineInput'
  )
  return Type.Array(line, {
    maxItems: Math.min(MAX_NEW_LINES, limits.referenceList),
    description: 'Lines of the order. The order is created with all of them, or not at all.'
  })
}

export function orderLineSchemas(inputs: InputSchemas) {
  const order = inputs.Reference('URL of the order, a DRAFT of the caller’s organization.', lineExample.order)
  const { status, ...others } = lineMembers(inputs)
  const members = { order, ...others }
  return {
    OrderLineInput: Strict(
      { id: NoId, status: Maybe(status), statusReason: NoReason, ...members },
      'One item of an order.',
      'OrderLineInput'
    ),
    /** A valid result of a JSON Patch. */
    PatchedOrderLine: Strict({
      id: inputs.Text('Id of the line.'),
      status,
      statusReason: statusReasonInput(inputs),
      ...members
    })
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
    statusReason: StatusReasonMember,
    item: Url('URL of the catalogue item.', lineExample.item),
    action: CodingOf('Ordered action, from the value set order-line-action.', lineExample.action)
  },
  { title: 'OrderLine', description: 'One item of an order.' }
)
export type OrderLine = Static<typeof OrderLine>
