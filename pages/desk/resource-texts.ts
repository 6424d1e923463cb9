import type { CatalogueItem, Order, OrderLine, Receiver } from '../../clients/typescript/src/index.js'
import { datesText, dateText, timesText } from '../parts/texts.js'
import { deskText } from './desk-texts.js'

/** Resources that a response includes, by their URLs. */
export type Expanded = Readonly<Record<string, object>>

/** The name of an order; without one, its identifier. */
export const orderName = ({ name, identifiers }: Order): string =>
  name || identifiers[0]?.value || deskText('order')

/** The name and the number of an order. */
export const orderTitle = (order: Order): string => joined(' · ', orderName(order), order.number)

/** The name of the patient of an order or, if only the receiver has a name, of the receiver. */
export const patientText = (receiver: Receiver): string =>
  receiver.patientName ?? deskText('receiverNamed', { name: receiver.name })

/** The patient of an order, for use below the receiver; empty if only the receiver has a name. */
export const patientNamed = ({ patientName }: Receiver): string =>
  patientName ? `${deskText('patient')}: ${patientName}` : ''

/** The receiver of an order, for use below a patient with a name; otherwise empty. */
export const receiverNamed = ({ patientName, name }: Receiver): string =>
  patientName ? deskText('receiverNamed', { name }) : ''

/** An address in one line. */
export const addressOf = ({ addressLine1, addressLine2, postalCode, postalDistrict }: Receiver): string =>
  joined(', ', addressLine1, addressLine2, joined(' ', postalCode, postalDistrict))

/** The name of the item of a line as it was ordered; in a draft, as it is now. */
export const itemName = ({ item, orderedItem }: OrderLine, items: Expanded): string =>
  orderedItem?.name ?? (items[item] as CatalogueItem | undefined)?.name ?? deskText('item')

/** The action and the item of a line. */
export const lineTitle = (line: OrderLine, items: Expanded): string =>
  `${itemName(line, items)}: ${line.action.display}`

export const agreedText = ({ agreedFrom, agreedTo }: OrderLine): string =>
  agreedFrom && agreedTo ? timesText(agreedFrom, agreedTo) : ''

/** The name, the manufacturer and the model of a device as it was delivered. */
export const deviceName = (device: OrderLine['device']): string =>
  device ? `${device.name} (${joined(' ', device.manufacturer, device.model)})` : ''

export const numbersText = (device: OrderLine['device'] | OrderLine['relatedDevice']): string =>
  joined(
    ' · ',
    device?.serialNumber && deskText('serialShort', { number: device.serialNumber }),
    device?.lotNumber && deskText('lotShort', { number: device.lotNumber }),
    udiText(device)
  )

/** The UDI of a device without other numbers, which mostly come from it. */
export const udiText = (device: OrderLine['device'] | OrderLine['relatedDevice']): string =>
  device?.serialNumber || device?.lotNumber ? '' : (device?.udi ?? '').replaceAll('\u001d', ' ')

/** Joins the texts that are not empty, with a separator. */
export const joined = (separator: string, ...texts: readonly (string | false | null | undefined)[]): string =>
  texts.filter(Boolean).join(separator)

/** The days of a wish, such as `1. dec. – 5. dec.`; empty without any. */
export function periodText(from: string | null, to: string | null): string {
  if (from && to) return datesText(from, to)
  if (from) return deskText('notBefore', { day: dateText(from) })
  return to ? deskText('notAfter', { day: dateText(to) }) : ''
}

/** The name of an organization; empty if only its URL is known, which is meaningless to users. */
export const organizationText = (name: string): string => (URL.canParse(name) ? '' : name)
