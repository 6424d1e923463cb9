import { type BuyerPart, buyerParts } from '../../../catalogue/catalogue.access.js'
import { itemFields } from '../../../catalogue/item/item.fields.js'
import { columnTexts, exampleTexts, sheetNames } from '../../sheets.texts.js'
import {
  type Column,
  descriptionColumn,
  identifierColumns,
  itemStatusColumn,
  nameColumn,
  noteColumn,
  type SheetMember,
  type SheetTable
} from './columns.js'

const deviceFields = itemFields.DeviceModel

const deviceFieldColumns = (Object.keys(deviceFields) as (keyof typeof deviceFields)[]).map(
  (key): Column => ({
    key,
    ...columnTexts[key],
    width: 12,
    example: String(deviceFields[key].schema.example)
  })
)

const deviceColumns = (identifiers: number): Column[] => [
  noteColumn,
  nameColumn(exampleTexts.deviceName),
  ...identifierColumns(identifiers, '00123'),
  { key: 'manufacturer', ...columnTexts.manufacturer, width: 22, isRequired: true, example: 'A&D' },
  { key: 'model', ...columnTexts.model, width: 22, isRequired: true, example: 'UA-767PBT-Ci' },
  ...deviceFieldColumns,
  descriptionColumn(exampleTexts.deviceDescription),
  itemStatusColumn
]

const serviceColumns = (identifiers: number): Column[] => [
  noteColumn,
  nameColumn(exampleTexts.serviceName),
  ...identifierColumns(identifiers, 'S-07'),
  {
    key: 'serviceType',
    ...columnTexts.serviceType,
    width: 18,
    isRequired: true,
    list: 'service-type',
    example: 'REPLACE'
  },
  {
    key: 'relatedTo/system',
    ...columnTexts.deviceSystem,
    width: 24,
    example: 'urn:example:item-number'
  },
  { key: 'relatedTo/value', ...columnTexts.deviceIdentifier, width: 22, example: '00123' },
  descriptionColumn(exampleTexts.serviceDescription),
  itemStatusColumn
]

/** The item that a row is about. */
const itemColumns: readonly Column[] = [
  { key: 'item/system', ...columnTexts.itemSystem, width: 24, example: 'urn:example:item-number' },
  { key: 'item/value', ...columnTexts.itemIdentifier, width: 22, isRequired: true, example: '00123' }
]

const buyerColumn: Column = {
  key: 'buyer',
  ...columnTexts.buyer,
  width: 32,
  isRequired: true,
  list: 'buyer',
  example: 'Region'
}

const annotationColumns: readonly Column[] = [
  noteColumn,
  ...itemColumns,
  buyerColumn,
  {
    key: 'name',
    ...columnTexts.annotationName,
    width: 32,
    isRequired: true,
    list: 'annotation-name',
    example: 'ehealth/device-type'
  },
  {
    key: 'value',
    ...columnTexts.annotationValue,
    width: 36,
    isRequired: true,
    list: 'annotation-value',
    example: 'urn:example:system|code'
  }
]

const whiteListColumns: readonly Column[] = [noteColumn, ...itemColumns, buyerColumn]

const catalogueColumns = (identifiers: number): Column[] => [
  noteColumn,
  nameColumn(exampleTexts.catalogueName),
  {
    key: 'seller',
    ...columnTexts.seller,
    width: 32,
    isRequired: true,
    list: 'seller',
    example: 'Medico Aps'
  },
  {
    key: 'status',
    ...columnTexts.catalogueStatus,
    width: 16,
    list: 'catalogue-status',
    example: 'DRAFT'
  },
  ...identifierColumns(identifiers, 'HOME-2026')
]

/** Returns a predicate: a sheet for a caller who may import these parts of buyers. */
export const sheetFilterFor =
  (parts: ReadonlySet<BuyerPart>) =>
  ({ member }: SheetTable): boolean =>
    !(buyerParts as readonly string[]).includes(member) || parts.has(member as BuyerPart)

/**
 * The sheets and their columns, for template, import and export.
 * @param identifiers number of identifiers for which a row has columns.
 */
export const sheetTables = (identifiers: number): Readonly<Record<SheetMember, SheetTable>> => ({
  catalogue: sheetTable('catalogue', catalogueColumns(identifiers)),
  devices: sheetTable('devices', deviceColumns(identifiers)),
  services: sheetTable('services', serviceColumns(identifiers)),
  annotations: sheetTable('annotations', annotationColumns),
  whiteList: sheetTable('whiteList', whiteListColumns)
})

const sheetTable = (member: SheetMember, columns: readonly Column[]): SheetTable => ({
  name: sheetNames[member],
  member,
  columns
})
