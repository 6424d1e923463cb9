import { type BuyerPart, buyerParts } from '../../../catalogue/content/buyer-parts.js'
import { annotationColumns, whiteListColumns } from './buyer-columns.js'
import type { Column, SheetMember, SheetTable } from './columns.js'
import { identifierColumns, nameColumn, noteColumn } from './common-columns.js'
import { deviceColumns, serviceColumns } from './item-columns.js'

const catalogueColumns = (identifiers: number): Column[] => [
  noteColumn,
  nameColumn({ en: 'Home monitoring devices', da: 'Måleudstyr til hjemmet' }),
  {
    key: 'seller',
    header: { en: 'Seller', da: 'Leverandør' },
    comment: {
      en: 'The party that delivers: its name, or its URL if several parties have that name.',
      da: 'Den part, der leverer: dens navn, eller dens URL hvis flere har navnet.'
    },
    width: 32,
    isRequired: true,
    list: 'seller',
    example: 'Medico Aps'
  },
  {
    key: 'status',
    header: { en: 'Status', da: 'Status' },
    comment: {
      en: 'Choose from the list. Items can be ordered only from an active catalogue. Empty: a draft.',
      da: 'Vælges fra listen. Der kan kun bestilles fra et aktivt katalog. Tom: kladde.'
    },
    width: 16,
    list: 'catalogue-status',
    example: 'DRAFT'
  },
  ...identifierColumns(identifiers, 'HOME-2026')
]

/** Returns a predicate: a sheet for a caller who may import these parts of buyers. */
export const isFor =
  (parts: ReadonlySet<BuyerPart>) =>
  ({ member }: SheetTable): boolean =>
    !(buyerParts as readonly string[]).includes(member) || parts.has(member as BuyerPart)

/**
 * The sheets and their columns, for template, import and export.
 * @param identifiers number of identifiers that a row has columns for.
 */
export const sheetTables = (identifiers: number): Readonly<Record<SheetMember, SheetTable>> => ({
  catalogue: {
    name: { en: 'Catalogue', da: 'Katalog' },
    member: 'catalogue',
    columns: catalogueColumns(identifiers)
  },
  devices: { name: { en: 'Devices', da: 'Udstyr' }, member: 'devices', columns: deviceColumns(identifiers) },
  services: {
    name: { en: 'Services', da: 'Ydelser' },
    member: 'services',
    columns: serviceColumns(identifiers)
  },
  annotations: {
    name: { en: 'Annotations', da: 'Annoteringer' },
    member: 'annotations',
    columns: annotationColumns
  },
  whiteList: {
    name: { en: 'White list', da: 'Positivliste' },
    member: 'whiteList',
    columns: whiteListColumns
  }
})
