import type { BuyerPart } from '../../../catalogue/content/buyer-parts.js'
import { languages } from '../../../platform/util/accept-language.js'
import type { Terminology } from '../../../terminology/terminology.js'
import type { Sheet, Workbook } from '../../../xlsx/reading/cells.js'
import { type CellFault, sheetFault } from '../cell-faults.js'
import type { SheetMember, SheetTable } from '../columns/columns.js'
import { headerIndexes } from './header-index.js'
import { type ReadSheet, readSheet } from './sheet-rows.js'

export interface ReadOptions {
  terminology: Terminology
  /** The buyers' parts that the caller may import. */
  parts: ReadonlySet<BuyerPart>
  /** Maximum items of a workbook. */
  maxItems: number
}

/** The limit on annotations, and on white list entries, is the limit on items times this. */
const MAX_ROWS_PER_ITEM = 10

export interface ReadSheets extends Partial<Record<SheetMember, ReadSheet>> {
  /** Those that were read. */
  all: readonly ReadSheet[]
  /** Whether all sheets of items were read, so that references to items can be judged. */
  areItemsComplete: boolean
}

/**
 * Reads the sheets by name. Those that are missing or have faults as a whole are left out, so that
 * the faults of the others are found too; undefined if there are more rows than are validated.
 */
export async function readSheets(
  workbook: Workbook,
  { parts, maxItems }: ReadOptions,
  faults: CellFault[]
): Promise<ReadSheets | undefined> {
  const tables = headerIndexes()
  const whole: CellFault[] = []
  const unread = new Set<SheetMember>()
  const read = async (member: SheetMember): Promise<ReadSheet | undefined> => {
    const sheet = findSheet(workbook, tables[member], whole)
    const found = sheet && (await readSheet(sheet, tables[member], { whole, cells: faults }))
    if (sheet && !found) unread.add(member)
    return found
  }
  const catalogue = await read('catalogue')
  const devices = await read('devices')
  const services = await read('services')
  const readPart = async (part: BuyerPart) => {
    if (parts.has(part)) return read(part)
    rejectSheet(workbook, tables[part], whole)
    return undefined
  }
  const annotations = await readPart('annotations')
  const whiteList = await readPart('whiteList')
  const items = (devices?.rows.length ?? 0) + (services?.rows.length ?? 0)
  const maxRows = maxItems * MAX_ROWS_PER_ITEM
  const hasTooManyItems = items > maxItems
  const tooLong = [annotations, whiteList].filter((sheet) => (sheet?.rows.length ?? 0) > maxRows)
  if (hasTooManyItems)
    whole.push(
      sheetFault(devices?.name ?? services?.name ?? '', 'too-many-items', {
        en: `A workbook can have at most ${maxItems} items; this one has ${items}. Split it.`,
        da: `En fil må højst have ${maxItems} varer; denne har ${items}. Del den op.`
      })
    )
  for (const sheet of tooLong)
    whole.push(
      sheetFault(sheet?.name ?? '', sheet === annotations ? 'too-many-annotations' : 'too-many-entries', {
        en: `The sheet can have at most ${maxRows} rows. Split the workbook.`,
        da: `Arket må højst have ${maxRows} rækker. Del filen op.`
      })
    )
  if (!catalogue && !unread.has('catalogue')) whole.push(missing(tables.catalogue))
  if (!devices && !services && unread.size === 0) whole.push(missing(tables.devices, tables.services))
  faults.unshift(...whole)
  if (hasTooManyItems || tooLong.length > 0) return undefined
  return {
    all: [catalogue, devices, services, annotations, whiteList].filter((sheet) => sheet !== undefined),
    areItemsComplete:
      (devices ?? services) !== undefined && !unread.has('devices') && !unread.has('services'),
    ...(catalogue ? { catalogue } : {}),
    ...(devices ? { devices } : {}),
    ...(services ? { services } : {}),
    ...(annotations ? { annotations } : {}),
    ...(whiteList ? { whiteList } : {})
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
      sheetFault(second.name, 'second-sheet', {
        en: `The workbook also has the sheet ${sheet?.name}. Remove one of them.`,
        da: `Filen har også arket ${sheet?.name}. Fjern det ene.`
      })
    )
  if (sheet?.isHidden && sheet.rows.length > 0)
    faults.push(
      sheetFault(sheet.name, 'hidden-sheet', {
        en: 'The sheet is hidden. Show it, or delete it.',
        da: 'Arket er skjult. Vis det, eller slet det.'
      })
    )
  return sheet
}

function rejectSheet(workbook: Workbook, table: SheetTable, faults: CellFault[]): void {
  const sheet = workbook.sheets.find(isNamed(table))
  if (sheet && sheet.rows.length > 1)
    faults.push(
      sheetFault(sheet.name, 'sheet-not-allowed', {
        en: 'Only buyers have annotations and white lists. Delete the sheet.',
        da: 'Annoteringer og positivlister laves af dem, der bestiller. Slet arket.'
      })
    )
}

const missing = (...tables: SheetTable[]) =>
  sheetFault(tables[0]?.name.en ?? '', 'missing-sheet', {
    en: `Add a sheet named ${tables.map(({ name }) => `“${name.en}” (Danish: “${name.da}”)`).join(' or ')}.`,
    da: `Arket mangler, eller det har fået et andet navn. Sæt et ark ind med navnet ${tables.map(({ name }) => `“${name.da}” (engelsk: “${name.en}”)`).join(' eller ')}.`
  })
