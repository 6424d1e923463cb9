import { Type } from '@sinclair/typebox'
import type { TextFields } from '../../platform/schemas/fields.js'

export const itemTypes = ['DeviceModel', 'Service'] as const
export type ItemType = (typeof itemTypes)[number]

/*
 * The nullable texts of an item, by the types of items that have them: one entry here, one column
 * in `tables.ts` and the texts of a column in `excel/sheets.texts.ts` make a field of devices. The
 * schemas, the examples, the serializer, the import and the export are made from the entry. A field
 * of services also needs its column in `excel/sheets/columns/sheet-tables.ts`. Members with rules
 * of their own (identifiers, required texts, codes, references) are written out there.
 */

const text = (description: string, example: string) => Type.String({ description, example })

export const itemFields = {
  common: {
    description: {
      column: 'description',
      schema: text('Description of the item.', 'Automatisk måler med Bluetooth og manchet 22-32 cm')
    }
  },
  DeviceModel: { version: { column: 'version', schema: text('DeviceModel: version.', '2') } },
  Service: {}
} as const satisfies Readonly<Record<'common' | ItemType, TextFields>>

export const allItemFields = {
  ...itemFields.common,
  ...itemFields.DeviceModel,
  ...itemFields.Service
}
export type ItemField = keyof typeof allItemFields
export type ItemFieldColumn = (typeof allItemFields)[ItemField]['column']

export const fieldsOf = (type: ItemType): TextFields => ({ ...itemFields.common, ...itemFields[type] })

export const itemColumns = (
  valueFor: (column: ItemFieldColumn, name: ItemField) => string | null
): Record<ItemFieldColumn, string | null> =>
  Object.fromEntries(
    Object.entries(allItemFields).map(([name, { column }]) => [column, valueFor(column, name as ItemField)])
  ) as Record<ItemFieldColumn, string | null>
