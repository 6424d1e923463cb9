import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { inputLimits } from '../../platform/json/input-limits.js'
import { requiredOneOf } from '../../platform/json/keywords.js'
import { Expanded } from '../../platform/rest/expand.js'
import { eachField } from '../../platform/schemas/fields.js'
import {
  CodingOrCode,
  Identifiers,
  inputMembers,
  Reference,
  Text
} from '../../platform/schemas/input-schemas.js'
import {
  CodingOf,
  documentedAs,
  Enum,
  Id,
  Identifier,
  Maybe,
  NoId,
  Nullable,
  NullOnly,
  responseMembers,
  Strict,
  Timestamp,
  Url
} from '../../platform/schemas/schemas.js'
import {
  detailsExample,
  flatDetailsExample,
  identifierExample,
  noteExample,
  numberExample,
  orderStatusExample,
  partiesExample,
  receiverExample,
  timesExample
} from './order.examples.js'
import { orderFields, type readOnlyNames, receiverFields } from './order.fields.js'
import { IgnoredCodes, ignoredMemberText, NewOrderLinesInput, OrderLine } from './order-line.schemas.js'
import { orderResource } from './resources.js'
import { attentionCodes, orderStatuses } from './states.js'
import { NoReason, StatusReasonInput, StatusReasonMember } from './status-reason.schemas.js'
import { TraceLine } from './trace-line.schemas.js'

/** Members that the service sets. `allowedStatuses` is in single reads and details only. */
export const readOnlyMembers = {
  number: Type.String({
    description: 'Short number of the order for people. Unique, and never reused.',
    example: numberExample
  }),
  created: Timestamp('Time of creation (UTC).', timesExample.created),
  submitted: Nullable(
    Timestamp('Time of submission (UTC). Null for an order that was not submitted.', timesExample.submitted)
  ),
  updated: Timestamp(
    'Time of the latest change of the order or its lines (UTC), by the clock of the database.',
    timesExample.updated
  ),
  attention: Type.Array(Enum(attentionCodes, 'Code of the value set order-attention.'), {
    description:
      'Attention codes of a SUBMITTED or ACCEPTED order, derived when it is read. UNANSWERED: the order has been SUBMITTED for more than the answerDays of the contract or, without them, the days of the setting. LATE: the agreed time of a SUBMITTED line has passed or, without an agreed time, the latestDeliveryDate has ended. RETURNED: a line is UNFULFILLED. QUESTION: the order awaits an answer.',
    example: ['LATE']
  }),
  allowedStatuses: Type.Array(Enum(orderStatuses, 'Code of an order status.'), {
    description:
      'Codes of the statuses that the caller can set on the order now. Other rules, such as a contract in force, are checked when it is submitted.',
    example: ['CANCELLED']
  })
} satisfies Record<(typeof readOnlyNames)[number], TSchema>

/** The side whose answer an order awaits. */
const Awaiting = Enum(
  ['BUYER', 'SELLER'],
  'The side whose answer the order awaits. Set by the other side in a JSON Patch that adds a note; a note of this side, null or the end of the order clears it.'
)

/** Maximum characters of a note. */
export const MAX_NOTE_LENGTH = 10_000

const NoteInput = Strict(
  {
    timestamp: Maybe(
      Type.String({
        format: 'date-time',
        maxLength: 64,
        description: 'Time of writing, ISO 8601. Default: now.',
        example: noteExample.timestamp
      })
    ),
    authorName: Maybe(Text('Name of the author. Default: the name in the token.', noteExample.authorName)),
    authorOrganization: Maybe(
      Text('Organization of the author. Default: the caller’s organization.', noteExample.authorOrganization)
    ),
    note: Text('Text of the note.', noteExample.note, MAX_NOTE_LENGTH)
  },
  'A note to the other party of the order.',
  'NoteInput'
)

const { addressLine1, ...otherFields } = inputMembers(receiverFields)

const receiverMembers = {
  name: Text('Name of the receiver.', receiverExample.name),
  addressLine1,
  ...otherFields,
  patient: Reference('URL of the clinical Patient.', receiverExample.patient)
}

const ReceiverInput = documentedAs(
  {
    ...Strict({
      ...receiverMembers,
      patient: Maybe(receiverMembers.patient),
      'addressLine 1': Maybe(Text('Earlier name of addressLine1.')),
      clinicalRef: Maybe(Reference('Earlier name of patient.'))
    }),
    [requiredOneOf]: ['patient', 'clinicalRef']
  },
  Strict(receiverMembers, 'The person who receives the delivery, and the patient it is for.', 'ReceiverInput')
)

const members = {
  identifiers: { ...Identifiers, example: [identifierExample] },
  ...inputMembers(orderFields),
  priority: Maybe(
    Type.Boolean({ description: 'Whether the order is urgent. Default: false.', example: true })
  ),
  notes: Maybe(Type.Array(NoteInput, { maxItems: inputLimits.list, description: 'Notes, oldest first.' })),
  buyer: Reference(
    'URL of the buying party. It belongs to the caller’s organization and has the role BUYER.',
    partiesExample.buyer
  ),
  seller: Reference('URL of the delivering party. It has the role SELLER.', partiesExample.seller),
  receiver: ReceiverInput
}

const status = CodingOrCode('Status of the order, as a Coding or as the bare code.', orderStatusExample.draft)

const IgnoredText = Maybe(Type.String({ maxLength: 64, description: ignoredMemberText }))

const NewOrder = Strict(
  {
    id: NoId,
    status: Maybe(status),
    statusReason: NoReason,
    ...members,
    awaiting: NullOnly('A submitted order can await an answer.'),
    orderLines: Maybe(NewOrderLinesInput),
    ...eachField({ number: 0, created: 0, submitted: 0, updated: 0 }, () => IgnoredText),
    attention: IgnoredCodes,
    allowedStatuses: IgnoredCodes
  },
  'A new order. Its status can only be DRAFT.',
  'OrderInput'
)
/** The shortest example has lines, without which the order cannot be submitted. */
export const OrderInput = { ...NewOrder, 'x-example-members': ['orderLines'] }

/** A valid result of a JSON Patch. */
export const PatchedOrder = Strict({
  id: Text('Id of the order.'),
  status,
  statusReason: StatusReasonInput,
  awaiting: Maybe({ ...Awaiting, enum: [...Awaiting.enum, null] } as typeof Awaiting),
  ...members,
  ...eachField(readOnlyMembers, () => Type.Optional(Type.Unknown()))
})
export type OrderInput = Static<typeof OrderInput>
export type PatchedOrder = Static<typeof PatchedOrder>
export type NoteInput = NonNullable<OrderInput['notes']>[number]

export const Note = Type.Object(
  {
    timestamp: Timestamp('Time of writing (UTC).', noteExample.timestamp),
    authorName: Type.String({ description: 'Name of the author.', example: noteExample.authorName }),
    authorOrganization: Type.String({
      description: 'Organization of the author.',
      example: noteExample.authorOrganization
    }),
    note: Type.String({ description: 'Text of the note.', example: noteExample.note })
  },
  { title: 'Note', description: 'A note to the other party of the order.' }
)
export type Note = Static<typeof Note>

export const Receiver = Type.Object(
  {
    name: Type.String({ description: 'Name of the receiver.', example: receiverExample.name }),
    ...responseMembers(receiverFields),
    patient: Url('URL of the clinical Patient.', receiverExample.patient)
  },
  { title: 'Receiver', description: 'The person who receives the delivery, and the patient it is for.' }
)
export type Receiver = Static<typeof Receiver>

const orderMembers = {
  id: Id(orderResource, 'monitor'),
  identifiers: Type.Array(Identifier, {
    description: 'Identifiers assigned by other systems.',
    example: [identifierExample]
  }),
  ...responseMembers(orderFields),
  status: CodingOf(
    'DRAFT, SUBMITTED, ACCEPTED, REJECTED, FULFILLED or CANCELLED, from the value set order-status.',
    orderStatusExample.submitted
  ),
  statusReason: StatusReasonMember,
  priority: Type.Boolean({ description: 'Whether the order is urgent.', example: true }),
  notes: Type.Array(Note, { description: 'Notes, oldest first.' }),
  awaiting: Type.Optional(Nullable(Awaiting)),
  buyer: Url('URL of the buying party.', partiesExample.buyer),
  seller: Url('URL of the delivering party.', partiesExample.seller),
  receiver: Receiver,
  ...readOnlyMembers
}

const responseMembersOfOrder = { ...orderMembers, ...eachField(readOnlyMembers, Type.Optional) }

export const Order = Type.Object(
  { ...responseMembersOfOrder, expanded: Type.Optional(Expanded) },
  { title: 'Order', description: 'An order of a buyer to a provider for a patient.' }
)
/** An order as one caller sees it. */
export type Order = Static<ReturnType<typeof Type.Object<typeof orderMembers>>>
/** The members that come from the row of the order. */
export type StoredOrder = Omit<Order, 'attention' | 'allowedStatuses'>

const detailsMembers = {
  orderLines: Type.Array(OrderLine, { description: 'Lines of the order.' }),
  traceLines: Type.Array(TraceLine, { description: 'History of the order, oldest first.' }),
  expanded: Type.Optional(Expanded)
}

/** The order details in their flat form, which the parameter `form` chooses. */
const OrderDetailsFlat = Type.Object(
  { ...responseMembersOfOrder, ...detailsMembers },
  {
    title: 'OrderDetailsFlat',
    example: flatDetailsExample,
    description: 'An order with its lines and its trace, as returned with `form=flat`.'
  }
)

export const OrderDetails = Type.Object(
  { order: Order, ...detailsMembers },
  {
    title: 'OrderDetails',
    example: detailsExample,
    description:
      'An order with its lines and its trace. With `form=flat` the members of the order are at the root, see OrderDetailsFlat.',
    'x-with-parameter': { 'form=flat': OrderDetailsFlat }
  }
)
