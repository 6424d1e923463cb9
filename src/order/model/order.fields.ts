import { Type } from '@sinclair/typebox'
import { eachField, type Fields } from '../../platform/schemas/fields.js'
import { isClosed, type OrderStatus } from './states.js'

/*
 * The nullable fields of an order and its receiver: one entry here, one column in `store/tables.ts`
 * and one member in `serialize.ts` make a field. The schemas, the examples, the PATCH, the save and
 * the documentation are made from the entry. Members with rules of their own (identifiers, status,
 * priority, notes, references to parties and the patient) are written out there.
 */

/** The statuses of the order in which its buyer may change a member with a PATCH. */
export interface ChangeRule {
  allows(status: OrderStatus): boolean
  /** The problem in each other status. */
  problem: 'order-not-draft.status' | 'order-closed.status'
}

export const inDraft: ChangeRule = {
  allows: (status) => status === 'DRAFT',
  problem: 'order-not-draft.status'
}

export const untilClosed: ChangeRule = {
  allows: (status) => !isClosed(status),
  problem: 'order-closed.status'
}

const text = (description: string, example: string) => Type.String({ description, example })

/** A day, as `yyyy-mm-dd`. */
const day = (description: string, example: string) => Type.String({ format: 'date', description, example })

/** Names of the members that the service sets. */
export const readOnlyNames = [
  'number',
  'created',
  'submitted',
  'updated',
  'attention',
  'allowedStatuses'
] as const

/** Fields that the buyer writes. */
export const orderFields = {
  name: {
    column: 'name',
    schema: text('Name of the order.', 'Blodtryksmåler med oplæring'),
    change: inDraft
  },
  earliestDeliveryDate: {
    column: 'earliestDeliveryDate',
    schema: day('First day on which the buyer wishes the delivery.', '2026-03-04'),
    change: untilClosed
  },
  latestDeliveryDate: {
    column: 'latestDeliveryDate',
    schema: day('Last day on which the buyer wishes the delivery.', '2026-03-06'),
    change: untilClosed
  }
} as const satisfies Fields<{ change: ChangeRule }>

/** Fields of the receiver, which changes as a whole until the order is closed. */
export const receiverFields = {
  addressLine1: {
    column: 'receiverAddressLine1',
    schema: text('First line of the address.', 'Eksempelvej 1')
  },
  addressLine2: {
    column: 'receiverAddressLine2',
    schema: text('Second line of the address.', '1. tv.')
  },
  postalCode: { column: 'receiverPostalCode', schema: text('Postal code.', '8000') },
  postalDistrict: { column: 'receiverPostalDistrict', schema: text('Postal district.', 'Aarhus C') },
  email: { column: 'receiverEmail', schema: text('E-mail address.', 'asta@borger.example') },
  phone: { column: 'receiverPhone', schema: text('Telephone number.', '00 00 00 01') },
  patientName: {
    column: 'receiverPatientName',
    schema: text('Name of the patient, if another person is the receiver.', 'Asta Opdigtet')
  }
} as const satisfies Fields

const receiverColumns = {
  name: 'receiverName',
  ...eachField(receiverFields, ({ column }) => column)
} as const

/** The columns of a receiver except for the patient, which is fixed after the draft. */
type ReceiverColumns = Readonly<Record<(typeof receiverColumns)[keyof typeof receiverColumns], unknown>>

/** The names of the members that differ between two receivers, without the patient. */
export const changedReceiverMembers = (before: ReceiverColumns, after: ReceiverColumns): string[] =>
  Object.entries(receiverColumns).flatMap(([name, column]) =>
    before[column] === after[column] ? [] : [name]
  )

/** The members of the buyer's wish for the delivery, whose columns have the same names. */
const wishMembers = ['earliestDeliveryDate', 'latestDeliveryDate'] as const

type DeliveryWish = Readonly<Record<(typeof wishMembers)[number], string | null>>

/** The names of the members that differ between two wishes. */
export const changedWishMembers = (before: DeliveryWish, after: DeliveryWish): string[] =>
  wishMembers.filter((name) => before[name] !== after[name])
