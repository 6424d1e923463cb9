import { type BuyerPart, buyerParts } from '../../../catalogue/content/buyer-parts.js'
import { columnTexts, exampleTexts, sheetNames } from '../../sheets.texts.js'
import { annotationColumns, whiteListColumns } from './buyer-columns.js'
import type { Column, SheetMember, SheetTable } from './columns.js'
import { identifierColumns, nameColumn, noteColumn } from './common-columns.js'
import { deviceColumns, serviceColumns } from './item-columns.js'

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
export const isFor =
  (parts: ReadonlySet<BuyerPart>) =>
  ({ member }: SheetTable): boolean =>
    !(buyerParts as readonly string[]).includes(member) || parts.has(member as BuyerPart)

/**
 * The sheets and their columns, for template, import and export.
 * @param identifiers number of identifiers that a row has columns for.
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
