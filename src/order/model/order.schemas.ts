import { type Static, Type } from '@sinclair/typebox'
import {
  CodingOf,
  Id,
  Identifier,
  type InputSchemas,
  Maybe,
  NoId,
  Nullable,
  Strict,
  Timestamp,
  Url
} from '../../platform/schemas/schemas.js'
import {
  identifierSample,
  noteSample,
  orderStatusSample,
  partiesSample,
  receiverSample
} from './order.examples.js'
import { orderKind } from './resources.js'

const samples = { name: 'Blodtryksmåler med oplæring' }

export function orderSchemas(
  { Text, Reference, Identifiers, CodingOrCode }: InputSchemas,
  limits: { note: number; referenceList: number }
) {
  const NoteInput = Strict(
    {
      timestamp: Maybe(
        Type.String({
          format: 'date-time',
          maxLength: 64,
          description: 'When it was written, ISO 8601; now where absent.',
          example: noteSample.timestamp
        })
      ),
      authorName: Maybe(Text('Who wrote it; from the token where absent.', noteSample.authorName)),
      authorOrganization: Maybe(
        Text('Whose employee wrote it; from the token where absent.', noteSample.authorOrganization)
      ),
      note: Text('The note.', noteSample.note, limits.note)
    },
    'A note to the other side.',
    'NoteInput'
  )
  const ReceiverInput = Strict(
    {
      name: Text('Name of the person who receives.', receiverSample.name),
      addressLine1: Maybe(Text('First line of the address.', receiverSample.addressLine1)),
      'addressLine 1': Maybe(Text('Earlier name of addressLine1.')),
      addressLine2: Maybe(Text('Second line of the address.', receiverSample.addressLine2)),
      postalCode: Maybe(Text('Postal code.', receiverSample.postalCode)),
      postalDistrict: Maybe(Text('Postal district.', receiverSample.postalDistrict)),
      email: Maybe(Text('Address for e-mail.', receiverSample.email)),
      phone: Maybe(Text('Telephone number.', receiverSample.phone)),
      patient: Maybe(
        Reference(
          'URL of the clinical Patient. Required, under this or the earlier name.',
          receiverSample.patient
        )
      ),
      clinicalRef: Maybe(Reference('Earlier name of patient.'))
    },
    'Who receives what is ordered, and for which patient.',
    'ReceiverInput'
  )
  const members = {
    identifiers: { ...Identifiers, example: [identifierSample] },
    name: Maybe(Text('Name of the order.', samples.name)),
    priority: Maybe(
      Type.Boolean({ description: 'Whether the order is urgent. Default: false.', example: true })
    ),
    notes: Maybe(
      Type.Array(NoteInput, { maxItems: limits.referenceList, description: 'Notes, oldest first.' })
    ),
    buyer: Reference(
      'URL of the buying party, of the caller’s organization; it has the role BUYER.',
      partiesSample.buyer
    ),
    seller: Reference('URL of the party that delivers; it has the role SELLER.', partiesSample.seller),
    receiver: ReceiverInput
  }
  const status = CodingOrCode(
    'Status of the order; as a Coding or as the bare code.',
    orderStatusSample.draft
  )
  return {
    OrderInput: Strict(
      { id: NoId, status: Maybe(status), ...members },
      'An order to be created; its status can be DRAFT alone.',
      'OrderInput'
    ),
    /** What a JSON Patch may leave behind. */
    PatchedOrder: Strict({ id: Text('Id of the order.'), status, ...members })
  }
}
export type OrderInput = Static<ReturnType<typeof orderSchemas>['OrderInput']>
export type PatchedOrder = Static<ReturnType<typeof orderSchemas>['PatchedOrder']>
export type NoteInput = NonNullable<OrderInput['notes']>[number]

export const Note = Type.Object(
  {
    timestamp: Timestamp('When it was written (UTC).', noteSample.timestamp),
    authorName: Type.String({ description: 'Who wrote it.', example: noteSample.authorName }),
    authorOrganization: Type.String({
      description: 'Whose employee wrote it.',
      example: noteSample.authorOrganization
    }),
    note: Type.String({ description: 'The note.', example: noteSample.note })
  },
  { title: 'Note', description: 'A note to the other side.' }
)
export type Note = Static<typeof Note>

const text = (description: string, example: string) => Nullable(Type.String({ description, example }))

export const Receiver = Type.Object(
  {
    name: Type.String({ description: 'Name of the person who receives.', example: receiverSample.name }),
    addressLine1: text('First line of the address.', receiverSample.addressLine1),
    addressLine2: text('Second line of the address.', receiverSample.addressLine2),
    postalCode: text('Postal code.', receiverSample.postalCode),
    postalDistrict: text('Postal district.', receiverSample.postalDistrict),
    email: text('Address for e-mail.', receiverSample.email),
    phone: text('Telephone number.', receiverSample.phone),
    patient: Url('URL of the clinical Patient.', receiverSample.patient)
  },
  { title: 'Receiver', description: 'Who receives what is ordered, and for which patient.' }
)
export type Receiver = Static<typeof Receiver>

const orderMembers = {
  id: Id(orderKind, 'monitor'),
  identifiers: Type.Array(Identifier, {
    description: 'Identifiers given by others.',
    example: [identifierSample]
  }),
  name: text('Name of the order.', samples.name),
  status: CodingOf(
    'DRAFT, SUBMITTED, ACCEPTED, REJECTED, FULFILLED or CANCELLED, of the value set order-status.',
    orderStatusSample.submitted
  ),
  priority: Type.Boolean({ description: 'Whether the order is urgent.', example: true }),
  notes: Type.Array(Note, { description: 'Notes, oldest first.' }),
  buyer: Url('URL of the buying party.', partiesSample.buyer),
  seller: Url('URL of the party that delivers.', partiesSample.seller),
  receiver: Receiver
}

export const Order = Type.Object(orderMembers, {
  title: 'Order',
  description: 'What a buyer wants of a provider for a patient.'
})
export type Order = Static<typeof Order>

/** The members of an order, each optional: the flat form of order details has them at its top. */
export const flatOrder = Type.Partial(Type.Object(orderMembers)).properties
