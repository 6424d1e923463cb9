import type { BuyerPart } from '../../../catalogue/catalogue.access.js'
import { languages } from '../../../platform/errors/language.js'
import type { Terminology } from '../../../terminology/terminology.js'
import type { Sheet, Workbook } from '../../../xlsx/reading/cells.js'
import { sheetNames } from '../../sheets.texts.js'
import { type CellFault, sheetFault } from '../cell-faults.js'
import type { SheetMember, SheetTable } from '../columns/columns.js'
import { sheetFilterFor } from '../columns/sheet-tables.js'
import { headerIndexes } from './header-index.js'
import { type ReadSheet, readSheet } from './sheet-rows.js'

export interface ReadOptions {
  terminology: Terminology
  /** The buyers' parts that the caller may import. */
  parts: ReadonlySet<BuyerPart>
  maxItems: number
}

export interface ReadSheets {
  sheets: ReadonlyMap<SheetMember, ReadSheet>
  /** Whether all sheets of items were read, so that references to items can be checked. */
  areItemsComplete: boolean
}

/**
 * Reads the sheets by name. Missing and faulty sheets are left out, so that the faults of the other
 * sheets are found too. Undefined if there are more rows than the maximum.
 */
export async function readSheets(
  workbook: Workbook,
  { parts, maxItems }: ReadOptions,
  faults: CellFault[]
): Promise<ReadSheets | undefined> {
  const sheets = new Map<SheetMember, ReadSheet>()
  const unread = new Set<SheetMember>()
  for (const [member, table] of headerIndexes()) {
    if (!sheetFilterFor(parts)(table)) {
      rejectSheet(workbook, table, faults)
      continue
    }
    const sheet = findSheet(workbook, table, faults)
    const found = sheet && (await readSheet(sheet, table, faults))
    if (found) sheets.set(member, found)
    else if (sheet) unread.add(member)
  }
  const tooMany = tooManyItems(sheets, maxItems)
  const hasItems = sheets.has('devices') || sheets.has('services')
  if (tooMany) faults.push(tooMany)
  if (!sheets.has('catalogue') && !unread.has('catalogue'))
    faults.push(sheetFault(sheetNames.catalogue.en, 'missing-sheet.catalogue'))
  if (!hasItems && unread.size === 0) faults.push(sheetFault(sheetNames.devices.en, 'missing-sheet.items'))
  if (tooMany) return undefined
  return { sheets, areItemsComplete: hasItems && !unread.has('devices') && !unread.has('services') }
}

/** The fault of sheets with more items than the maximum. */
function tooManyItems(sheets: ReadSheets['sheets'], max: number): CellFault | undefined {
  const [devices, services] = [sheets.get('devices'), sheets.get('services')]
  const count = (devices?.rows.length ?? 0) + (services?.rows.length ?? 0)
  return count > max
    ? sheetFault((devices ?? services)?.name ?? '', 'too-many-items', { max, count })
    : undefined
}

const isNamed =
  ({ name }: SheetTable) =>
  (sheet: Sheet) =>
    languages.some((language) => name[language].toLowerCase() === sheet.name.trim().toLowerCase())

/**
 * Finds a sheet by name. A hidden sheet with rows is a fault, because its rows may be unintended.
 */
function findSheet(workbook: Workbook, table: SheetTable, faults: CellFault[]): Sheet | undefined {
  const [sheet, second] = workbook.sheets.filter(isNamed(table))
  if (sheet && second) faults.push(sheetFault(second.name, 'second-sheet', { name: sheet.name }))
  if (sheet?.isHidden && sheet.rows.length > 0) faults.push(sheetFault(sheet.name, 'hidden-sheet'))
  return sheet
}

function rejectSheet(workbook: Workbook, table: SheetTable, faults: CellFault[]): void {
  const sheet = workbook.sheets.find(isNamed(table))
  if (sheet && sheet.rows.length > 1) faults.push(sheetFault(sheet.name, 'sheet-not-allowed'))
}
