import { languages } from '../../../platform/util/accept-language.js'
import type { Terminology } from '../../../terminology/terminology.js'
import type { Sheet, Workbook } from '../../../xlsx/reading/cells.js'
import { type CellFault, sheetFault } from '../cell-faults.js'
import type { SheetMember, SheetTable } from '../columns/columns.js'
import { headerIndexes } from './header-index.js'
import { type ReadSheet, readSheet } from './sheet-rows.js'

export interface ReadOptions {
  terminology: Terminology
  /** Whether the caller may annotate items. */
  isAnnotator: boolean
  /** Maximum characters of a text, items of a workbook, and identifiers of an item. */
  limits: { string: number; bulkItems: number; referenceList: number }
}

/** The limit on annotations is the limit on items times this. */
const MAX_ANNOTATIONS_PER_ITEM = 10

export type ReadSheets = Record<'catalogue', ReadSheet> &
  Partial<Record<Exclude<SheetMember, 'catalogue'>, ReadSheet>>

/** Reads the sheets by name; undefined if one is missing or has faults as a whole. */
export async function readSheets(
  workbook: Workbook,
  { isAnnotator, limits }: ReadOptions,
  faults: CellFault[]
): Promise<ReadSheets | undefined> {
  const tables = headerIndexes(limits)
  const whole: CellFault[] = []
  const read = async (member: SheetMember): Promise<ReadSheet | undefined> => {
    const sheet = findSheet(workbook, tables[member], whole)
    return sheet && (await readSheet(sheet, tables[member], { whole, cells: faults }))
  }
  const catalogue = await read('catalogue')
  const devices = await read('devices')
  const services = await read('services')
  const annotations = isAnnotator ? await read('annotations') : undefined
  if (!isAnnotator) rejectSheet(workbook, tables.annotations, whole)
  const items = (devices?.rows.length ?? 0) + (services?.rows.length ?? 0)
  const maxItems = limits.bulkItems
  if (items > maxItems)
    whole.push(
      sheetFault(
        devices?.name ?? services?.name ?? '',
        'too-many-items',
        `A workbook can have at most ${maxItems} items; this one has ${items}. Split it.`
      )
    )
  if ((annotations?.rows.length ?? 0) > maxItems * MAX_ANNOTATIONS_PER_ITEM)
    whole.push(
      sheetFault(
        annotations?.name ?? '',
        'too-many-annotations',
        `A workbook can have at most ${maxItems * MAX_ANNOTATIONS_PER_ITEM} annotations. Split it.`
      )
    )
  if (whole.length === 0) {
    if (!catalogue) whole.push(missing(tables.catalogue))
    if (!devices && !services) whole.push(missing(tables.devices, tables.services))
  }
  faults.unshift(...whole)
  if (whole.length > 0 || !catalogue) return undefined
  return {
    catalogue,
    ...(devices ? { devices } : {}),
    ...(services ? { services } : {}),
    ...(annotations ? { annotations } : {})
  }
}

const isNamed =
  ({ name }: SheetTable) =>
  (sheet: Sheet) =>
    languages.some((language) => name[language].toLowerCase() === sheet.name.trim().toLowerCase())

/** Finds a sheet by name. A hidden sheet with rows is a fault: its rows may not be intended. */
function findSheet(workbook: Workbook, table: SheetTable, faults: CellFault[]): Sheet | undefined {
  const [sheet, second] = workbook.sheets.filter(isNamed(table))
  if (second)
    faults.push(
      sheetFault(
        second.name,
        'second-sheet',
        `The workbook also has the sheet ${sheet?.name}. Remove one of them.`
      )
    )
  if (sheet?.isHidden && sheet.rows.length > 0)
    faults.push(sheetFault(sheet.name, 'hidden-sheet', 'The sheet is hidden. Show it, or delete it.'))
  return sheet
}

function rejectSheet(workbook: Workbook, table: SheetTable, faults: CellFault[]): void {
  const sheet = workbook.sheets.find(isNamed(table))
  if (sheet && sheet.rows.length > 1)
    faults.push(
      sheetFault(sheet.name, 'sheet-not-allowed', 'Only buyers can annotate items. Delete the sheet.')
    )
}

const missing = (...tables: SheetTable[]) =>
  sheetFault(
    tables[0]?.name.en ?? '',
    'missing-sheet',
    `Add a sheet named ${tables.map(({ name }) => `“${name.en}” (Danish: “${name.da}”)`).join(' or ')}.`
  )
