import { itemFields } from '../../../catalogue/item/item.fields.js'
import { columnTexts, exampleTexts } from '../../sheets.texts.js'
import type { Column } from './columns.js'
import {
  descriptionColumn,
  identifierColumns,
  itemStatusColumn,
  nameColumn,
  noteColumn
} from './common-columns.js'

/** The fields that only devices have. */
const deviceFields = itemFields.DeviceModel

const deviceFieldColumns = (Object.keys(deviceFields) as (keyof typeof deviceFields)[]).map(
  (key): Column => ({
    key,
    ...columnTexts[key],
    width: 12,
    example: String(deviceFields[key].schema.example)
  })
)

export const deviceColumns = (identifiers: number): Column[] => [
  noteColumn,
  nameColumn(exampleTexts.deviceName),
  ...identifierColumns(identifiers, '00123'),
  { key: 'manufacturer', ...columnTexts.manufacturer, width: 22, isRequired: true, example: 'A&D' },
  { key: 'model', ...columnTexts.model, width: 22, isRequired: true, example: 'UA-767PBT-Ci' },
  ...deviceFieldColumns,
  descriptionColumn(exampleTexts.deviceDescription),
  itemStatusColumn
]

export const serviceColumns = (identifiers: number): Column[] => [
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
