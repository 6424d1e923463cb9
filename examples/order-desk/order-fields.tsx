import type { Order } from '../../clients/typescript/src/index.js'
import { textOf } from '../../pages/parts/actions.js'
import { Field } from '../../pages/parts/field.js'
import { deskText } from './desk-texts.js'

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
        <Field label={deskText('receiverName')} required>
          {(field) => <input {...field} name="name" defaultValue={receiver?.name ?? ''} autocomplete="off" />}
        </Field>
        {addressFields.map(([name, label]) => (
          <Field key={name} label={deskText(label)}>
            {(field) => (
              <input {...field} name={name} defaultValue={receiver?.[name] ?? ''} autocomplete="off" />
            )}
          </Field>
        ))}
        {(['earliestDeliveryDate', 'latestDeliveryDate'] as const).map((name) => (
          <Field key={name} label={deskText(name)}>
            {(field) => <input {...field} type="date" name={name} defaultValue={order[name] ?? ''} />}
          </Field>
        ))}
      </div>
      <label>
        <input type="checkbox" name="priority" defaultChecked={order.priority ?? false} />{' '}
        {deskText('isUrgent')}
      </label>
    </>
  )
}

/** What the fields say. */
export const orderContent = (data: FormData, patient: string): Content => ({
  priority: data.has('priority'),
  earliestDeliveryDate: textOf(data, 'earliestDeliveryDate'),
  latestDeliveryDate: textOf(data, 'latestDeliveryDate'),
  receiver: {
    name: textOf(data, 'name') ?? '',
    addressLine1: textOf(data, 'addressLine1'),
    addressLine2: textOf(data, 'addressLine2'),
    postalCode: textOf(data, 'postalCode'),
    postalDistrict: textOf(data, 'postalDistrict'),
    phone: textOf(data, 'phone'),
    email: textOf(data, 'email'),
    patient
  }
})
