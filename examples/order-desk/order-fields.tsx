import type { Order, Receiver } from '../../clients/typescript/src/index.js'
import { textOf } from '../../pages/parts/actions.js'
import { deskText } from './desk-texts.js'
import { TextField } from './text-field.js'

type Content = Pick<Order, 'priority' | 'earliestDeliveryDate' | 'latestDeliveryDate' | 'receiver'>

const addressFields = [
  ['addressLine1', 'address'],
  ['addressLine2', 'addressLine2'],
  ['postalCode', 'postalCode'],
  ['postalDistrict', 'postalDistrict'],
  ['phone', 'phone'],
  ['email', 'email']
] as const

/** Fields for the receiver and the wishes, which can be corrected until the order is closed. */
export function OrderFields({ receiver, ...order }: Partial<Content>) {
  return (
    <>
      <div class="columns">
        <TextField label="receiverName" name="name" value={receiver?.name} required />
        {addressFields.map(([name, label]) => (
          <TextField key={name} label={label} name={name} value={receiver?.[name]} />
        ))}
        {(['earliestDeliveryDate', 'latestDeliveryDate'] as const).map((name) => (
          <TextField key={name} label={name} type="date" name={name} value={order[name]} />
        ))}
      </div>
      <label>
        <input type="checkbox" name="priority" defaultChecked={order.priority ?? false} />{' '}
        {deskText('isUrgent')}
      </label>
    </>
  )
}

/** The order that the fields describe. */
export const orderContent = (data: FormData, patient: string): Content => ({
  priority: data.has('priority'),
  earliestDeliveryDate: textOf(data, 'earliestDeliveryDate'),
  latestDeliveryDate: textOf(data, 'latestDeliveryDate'),
  receiver: {
    ...(Object.fromEntries(addressFields.map(([name]) => [name, textOf(data, name)])) as Receiver),
    name: textOf(data, 'name') ?? '',
    patient
  }
})
