import type { CatalogueItem, Order, OrderLine, Receiver } from '../../clients/typescript/src/index.js'
import { locale } from '../../pages/parts/language.js'
import { deskText } from './desk-texts.js'

/** Resources that a response includes, by their URLs. */
export type Expanded = Readonly<Record<string, object>>

export const orderTitle = ({ name, identifiers }: Order): string =>
  name || identifiers[0]?.value || deskText('order')

/** An address in one line. */
export const addressOf = ({ addressLine1, addressLine2, postalCode, postalDistrict }: Receiver): string =>
  joined(', ', addressLine1, addressLine2, joined(' ', postalCode, postalDistrict))

/** The name of the item of a line. */
export const itemName = ({ item }: OrderLine, items: Expanded): string =>
  (items[item] as CatalogueItem | undefined)?.name ?? deskText('item')

/** The time that was agreed for a line. */
export const agreedText = ({ agreedFrom, agreedTo }: OrderLine): string =>
  agreedFrom && agreedTo
    ? new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).formatRange(
        new Date(agreedFrom),
        new Date(agreedTo)
      )
    : ''

/** The name, the manufacturer and the model of a delivered device. */
export function deviceName(device: OrderLine['device'], items: Expanded): string {
  const item = device && (items[device.item] as CatalogueItem | undefined)
  return item ? `${item.name} (${joined(' ', item.manufacturer, item.model)})` : ''
}

/** The numbers of a device that are known. */
export const numbersText = (device: OrderLine['device'] | OrderLine['relatedDevice']): string =>
  joined(' · ', device?.serialNumber, device?.lotNumber, device?.udi)

/** The texts that there are, with a separator. */
export const joined = (separator: string, ...texts: readonly (string | null | undefined)[]): string =>
  texts.filter(Boolean).join(separator)
