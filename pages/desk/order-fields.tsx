import type { Order, PatchOf, Receiver } from '../../clients/typescript/src/index.js'
import { textOf } from '../parts/actions.js'
import { deskText } from './desk-texts.js'
import { CheckField, TextField } from './text-field.js'

type Content = Pick<Order, 'priority' | 'earliestDeliveryDate' | 'latestDeliveryDate' | 'receiver'>

const receiverFields = [
  ['patientName', 'patientName', 'text'],
  ['addressLine1', 'address', 'text'],
  ['addressLine2', 'addressLine2', 'text'],
  ['postalCode', 'postalCode', 'text'],
  ['postalDistrict', 'postalDistrict', 'text'],
  ['phone', 'phone', 'tel'],
  ['email', 'email', 'email']
] as const

/**
 * Fields for the receiver and the delivery wish, which can be corrected until the order is closed.
 */
export function OrderFields({
  receiver,
  ...order
}: Partial<Omit<Content, 'receiver'>> & { receiver: Receiver | undefined }) {
  return (
    <>
      <div class="fields">
        <TextField label="receiverName" name="name" value={receiver?.name} required />
        {receiverFields.map(([name, label, type]) => (
          <TextField key={name} label={label} name={name} type={type} value={receiver?.[name]} />
        ))}
        {(['earliestDeliveryDate', 'latestDeliveryDate'] as const).map((name) => (
          <TextField key={name} label={name} type="date" name={name} value={order[name]} />
        ))}
      </div>
      <CheckField label="isUrgent" name="priority" isOn={order.priority} />
    </>
  )
}

/** Whether the address or the telephone number of a delivery is missing. */
export const lacksContact = ({ addressLine1, phone }: Receiver): boolean => !addressLine1 || !phone

/** Asks before a delivery without an address or a telephone number is ordered. */
export const contactQuestion = (data: FormData): string | undefined =>
  lacksContact(orderContent(data, '').receiver) ? deskText('contactMissing') : undefined

/** The order that the fields describe. */
export const orderContent = (data: FormData, patient: string): Content => ({
  priority: data.has('priority'),
  earliestDeliveryDate: textOf(data, 'earliestDeliveryDate'),
  latestDeliveryDate: textOf(data, 'latestDeliveryDate'),
  receiver: {
    ...(Object.fromEntries(receiverFields.map(([name]) => [name, textOf(data, name)])) as Receiver),
    name: textOf(data, 'name') ?? '',
    patient
  }
})

/** The operations that write the fields that the user changed. */
export function correctionOf(order: Order, data: FormData): PatchOf<Order>[] {
  const { receiver, ...content } = orderContent(data, order.receiver.patient)
  const changed = (path: string, before: object, after: object) =>
    Object.entries(after)
      .filter(([name, value]) => value !== fieldValue(before[name as never]))
      .map(([name, value]) => ({ op: 'replace', path: `${path}/${name}`, value }))
  return [
    ...changed('', order, content),
    ...changed('/receiver', order.receiver, receiver)
  ] as PatchOf<Order>[]
}

/** A stored value in the form of its field: without line breaks and spaces at its ends. */
const fieldValue = (value: unknown) =>
  typeof value === 'string' ? value.replace(/[\r\n]/g, '').trim() || null : value
