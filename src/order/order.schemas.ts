import { type Static, Type } from '@sinclair/typebox'
import {
  Coding,
  Id,
  Identifier,
  type InputSchemas,
  Maybe,
  NoId,
  Nullable,
  Strict,
  Timestamp,
  Url
} from '../platform/schemas.js'

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
          description: 'When it was written; now where absent.'
        })
      ),
      authorName: Maybe(Text('Who wrote it; from the token where absent.')),
      authorOrganization: Maybe(Text('Whose employee wrote it; from the token where absent.')),
      note: Text('The note.', limits.note)
    },
    'A note to the other side.'
  )
  const ReceiverInput = Strict(
    {
      name: Text('Name of the person who receives.'),
      addressLine1: Maybe(Text('First line of the address.')),
      'addressLine 1': Maybe(Text('Earlier name of addressLine1.')),
      addressLine2: Maybe(Text('Second line of the address.')),
      postalCode: Maybe(Text('Postal code.')),
      postalDistrict: Maybe(Text('Postal district.')),
      email: Maybe(Text('Address for e-mail.')),
      phone: Maybe(Text('Telephone number.')),
      patient: Maybe(Reference('URL of the clinical Patient. Required, under this or the earlier name.')),
      clinicalRef: Maybe(Reference('Earlier name of patient.'))
    },
    'Who receives what is ordered, and for which patient.'
  )
  const members = {
    identifiers: Identifiers,
    name: Maybe(Text('Name of the order.')),
    priority: Maybe(Type.Boolean({ description: 'Whether the order is urgent. Default: false.' })),
    notes: Maybe(
      Type.Array(NoteInput, { maxItems: limits.referenceList, description: 'Notes, oldest first.' })
    ),
    buyer: Reference('URL of the buying party, of the caller’s organization.'),
    seller: Reference('URL of the party that delivers.'),
    receiver: ReceiverInput
  }
  const status = CodingOrCode('Status of the order; as a Coding or as the bare code.')
  return {
    OrderInput: Strict(
      { id: NoId, status: Maybe(status), ...members },
      'An order to be created; its status can be DRAFT alone.'
    ),
    /** What a JSON Patch may leave behind. */
    PatchedOrder: Strict({ id: Text('Id of the order.'), status, ...members })
  }
}
export type OrderInput = Static<ReturnType<typeof orderSchemas>['OrderInput']>
export type PatchedOrder = Static<ReturnType<typeof orderSchemas>['PatchedOrder']>
export type NoteInput = NonNullable<OrderInput['notes']>[number]

export const Note = Type.Object({
  timestamp: Timestamp('When it was written (UTC).'),
  authorName: Type.String({ description: 'Who wrote it.' }),
  authorOrganization: Type.String({ description: 'Whose employee wrote it.' }),
  note: Type.String({ description: 'The note.' })
})
export type Note = Static<typeof Note>

const text = (description: string) => Nullable(Type.String({ description }))

export const Receiver = Type.Object(
  {
    name: Type.String({ description: 'Name of the person who receives.' }),
    addressLine1: text('First line of the address.'),
    addressLine2: text('Second line of the address.'),
    postalCode: text('Postal code.'),
    postalDistrict: text('Postal district.'),
    email: text('Address for e-mail.'),
    phone: text('Telephone number.'),
    patient: Url('URL of the clinical Patient.')
  },
  { description: 'Who receives what is ordered, and for which patient.' }
)
export type Receiver = Static<typeof Receiver>

const orderMembers = {
  id: Id,
  identifiers: Type.Array(Identifier, { description: 'Identifiers given by others.' }),
  name: text('Name of the order.'),
  status: Coding,
  priority: Type.Boolean({ description: 'Whether the order is urgent.' }),
  notes: Type.Array(Note, { description: 'Notes, oldest first.' }),
  buyer: Url('URL of the buying party.'),
  seller: Url('URL of the party that delivers.'),
  receiver: Receiver
}

export const Order = Type.Object(orderMembers, {
  description: 'What a buyer wants of a provider for a patient.'
})
export type Order = Static<typeof Order>

/** The members of an order, each optional: the flat form of order details has them at its top. */
export const flatOrder = Type.Partial(Type.Object(orderMembers)).properties
