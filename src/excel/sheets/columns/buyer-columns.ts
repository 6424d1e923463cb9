import type { Column } from './columns.js'
import { noteColumn } from './common-columns.js'

/** The item that a row is about. */
const itemColumns: readonly Column[] = [
  {
    key: 'item/system',
    header: { en: 'Item: identifier system', da: 'Vare: identifikatorsystem' },
    comment: {
      en: 'The issuer of the identifier in the next column. May be empty if no other item has that identifier.',
      da: 'Hvem der udsteder identifikatoren i næste kolonne. Kan være tom, hvis ingen anden vare har identifikatoren.'
    },
    width: 24,
    example: 'urn:example:item-number'
  },
  {
    key: 'item/value',
    header: { en: 'Item: identifier', da: 'Vare: identifikator' },
    comment: {
      en: 'The identifier of a device or service of this catalogue.',
      da: 'Identifikatoren på udstyr eller en ydelse i dette katalog.'
    },
    width: 22,
    isRequired: true,
    example: '00123'
  }
]

const buyerColumn: Column = {
  key: 'buyer',
  header: { en: 'Buyer', da: 'Køber' },
  comment: {
    en: 'The buyer, of your organization or registered by it: its name, or its URL if several parties have that name.',
    da: 'Køberen, i din organisation eller oprettet af den: dens navn, eller dens URL hvis flere har navnet.'
  },
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
    header: { en: 'Annotation', da: 'Annotering' },
    comment: {
      en: 'Choose from the list, or use a name of your own.',
      da: 'Vælges fra listen, eller et navn efter eget valg.'
    },
    width: 32,
    isRequired: true,
    list: 'annotation-name',
    example: 'ehealth/device-type'
  },
  {
    key: 'value',
    header: { en: 'Value', da: 'Værdi' },
    comment: {
      en: 'Choose from the list (the sheet Codes shows the values of each name), or write system|code.',
      da: 'Vælges fra listen (arket Koder viser, hvilke værdier et navn har), eller skrives som system|kode.'
    },
    width: 36,
    isRequired: true,
    list: 'annotation-value',
    example: 'urn:example:system|code'
  }
]

export const whiteListColumns: readonly Column[] = [noteColumn, ...itemColumns, buyerColumn]
