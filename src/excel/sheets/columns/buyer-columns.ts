import { columnTexts } from '../../sheets.texts.js'
import type { Column } from './columns.js'
import { noteColumn } from './common-columns.js'

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

export const annotationColumns: readonly Column[] = [
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

export const whiteListColumns: readonly Column[] = [noteColumn, ...itemColumns, buyerColumn]
