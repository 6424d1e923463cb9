import { type Static, Type } from '@sinclair/typebox'
import { Device, DeviceInput, OrderedItem, RelatedDevice } from '../../device/device.schemas.js'
import { JsonPatch } from '../../platform/json/json-patch.js'
import { exampleUrl } from '../../platform/schemas/examples.js'
import { eachField } from '../../platform/schemas/fields.js'
import { CodingOrCode, Reference, Text } from '../../platform/schemas/input-schemas.js'
import {
  CodingOf,
  Enum,
  Id,
  Maybe,
  NoId,
  Nullable,
  NullOnly,
  Strict,
  Timestamp,
  Url
} from '../../platform/schemas/schemas.js'
import { MAX_AGREED_DAYS } from './agreed-time.js'
import { lineExample } from './order.examples.js'
import { orderLineResource } from './resources.js'
import { lineStatuses } from './states.js'
import { NoReason, StatusReasonInput, StatusReasonMember } from './status-reason.schemas.js'

/** Maximum number of lines that are created together with their order, or changed together. */
export const MAX_LINES = 100

/** The members of a line in addition to its status and its order. */
const members = {
  item: Reference('URL of the catalogue item.', lineExample.item),
  action: CodingOrCode(
    'Ordered action, such as DELIVER or REPAIR, as a Coding or as the bare code.',
    lineExample.action
  ),
  relatedTo: Maybe(
    Reference(
      'URL of the order line that delivered the device that this line is about. The device is in use, with the patient of the order.',
      exampleUrl(orderLineResource, 'delivery')
    )
  )
}

const status = CodingOrCode(
  'UNFULFILLED (default) or SUBMITTED, as a Coding or as the bare code.',
  lineExample.initialStatus
)

/** The time that the provider has agreed with the receiver. */
const agreedTimes = {
  agreedFrom: Timestamp(
    'Start of the time that the provider has agreed with the receiver (UTC). Null if none is agreed.',
    lineExample.agreedFrom
  ),
  agreedTo: Timestamp(
    `End of the agreed time (UTC), at most ${MAX_AGREED_DAYS} days after its start. Null if none is agreed.`,
    lineExample.agreedTo
  )
}

/** Maximum characters of the name of the person who received a delivery. */
const MAX_RECEIVED_BY_LENGTH = 100

/** The members that the provider reports in the JSON Patch that fulfils a line. */
const reported = {
  performedAt: Timestamp(
    'When the line was carried out, if the provider reported it later (UTC).',
    lineExample.performedAt
  ),
  receivedBy: Text('Who received the delivery.', 'Asta Opdigtet', MAX_RECEIVED_BY_LENGTH)
}

const SetByProvider = NullOnly('The provider reports it with FULFILLED.')
const SetByService = NullOnly('The service sets it.')

/** The member in the input of a new resource. */
export const ignoredMemberText = 'As GET returns it: ignored, because the service sets it.'
export const IgnoredCodes = Maybe(
  Type.Array(Type.String({ maxLength: 64, description: 'A code.' }), {
    maxItems: 20,
    description: ignoredMemberText
  })
)

const order = Reference('URL of the order, a DRAFT of the caller’s organization.', lineExample.order)

const newMembers = {
  id: NoId,
  status: Maybe(status),
  statusReason: NoReason,
  ...eachField(agreedTimes, () => NullOnly('The provider agrees a time later.')),
  performedAt: SetByProvider,
  receivedBy: SetByProvider,
  ...members,
  orderedItem: SetByService,
  relatedDevice: SetByService,
  device: SetByService,
  allowedStatuses: IgnoredCodes
}

const NewOrderLineInput = Strict(
  newMembers,
  'An order line that is created together with its order.',
  'NewOrderLineInput'
)

export const NewOrderLinesInput = Type.Array(NewOrderLineInput, {
  maxItems: MAX_LINES,
  description: 'Lines of the order. The order is created with all of them, or not at all.'
})

export const OrderLineInput = Strict({ ...newMembers, order }, 'One item of an order.', 'OrderLineInput')

/** A valid result of a JSON Patch. */
export const PatchedOrderLine = Strict({
  id: Text('Id of the line.'),
  status,
  statusReason: StatusReasonInput,
  order,
  ...members,
  ...eachField({ ...agreedTimes, performedAt: reported.performedAt }, (time) =>
    Maybe({ ...time, maxLength: 64 })
  ),
  receivedBy: Maybe(reported.receivedBy),
  orderedItem: Type.Optional(Type.Unknown()),
  relatedDevice: Type.Optional(Type.Unknown()),
  device: DeviceInput,
  allowedStatuses: Type.Optional(Type.Unknown())
})
export type OrderLineInput = Static<typeof OrderLineInput>

export const OrderLinePatches = Type.Array(
  Strict(
    {
      line: Reference('URL of the order line.', exampleUrl(orderLineResource, 'delivery')),
      patch: JsonPatch
    },
    'A JSON Patch of an order line.',
    'OrderLinePatch'
  ),
  { minItems: 1, maxItems: MAX_LINES, description: 'Different lines of one order, each with its JSON Patch.' }
)
export type OrderLinePatches = Static<typeof OrderLinePatches>
export type PatchedOrderLine = Static<typeof PatchedOrderLine>

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
    orderedItem: Type.Optional(Nullable(OrderedItem)),
    action: CodingOf('Ordered action, from the value set order-line-action.', lineExample.action),
    ...eachField({ ...agreedTimes, ...reported }, (member) => Type.Optional(Nullable(member))),
    relatedTo: Type.Optional(
      Nullable(
        Url(
          'URL of the order line that delivered the device that this line is about. Null if the line is about no device, or if the reader does not see the delivering line.',
          exampleUrl(orderLineResource, 'delivery')
        )
      )
    ),
    relatedDevice: Type.Optional(Nullable(RelatedDevice)),
    device: Type.Optional(Nullable(Device)),
    allowedStatuses: Type.Optional(
      Type.Array(Enum(lineStatuses, 'Code of an order line status.'), {
        description:
          'Codes of the statuses that the caller can set on the line now. Not in lists of order lines.',
        example: ['CANCELLED']
      })
    )
  },
  { title: 'OrderLine', description: 'One item of an order.' }
)
export type OrderLine = Static<typeof OrderLine>
