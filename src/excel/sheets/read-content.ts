import type { CatalogueContent } from '../../catalogue/bulk/catalogue-content.js'
import { mapYielding } from '../../platform/concurrency/map-yielding.js'
import type { Terminology } from '../../terminology/terminology.js'
import type { Sheet, Workbook } from '../../xlsx/cells.js'
import { type CellFault, type Locate, sheetFault } from './cell-faults.js'
import { languages, type SheetMember, type SheetTable } from './columns.js'
import { headerIndexes } from './header-index.js'
import {
  identifierNumbers,
  type PlacedRow,
  placeOf,
  type Reading,
  readAnnotation,
  readCatalogue,
  readItem
} from './read-row.js'
import { type ReadSheet, readSheet } from './sheet-rows.js'

export interface ReadOptions {
  terminology: Terminology
  /** Whether who sends it may annotate items. */
  isAnnotator: boolean
  /** Characters of a text, items of a workbook, and identifiers of an item at most. */
  limits: { string: number; bulkItems: number; referenceList: number }
}

/** What was read of a workbook, and where each part of it stands there. */
export interface ReadContent {
  content: CatalogueContent
  locate: Locate
}

/** Annotations for each of the items that a workbook may have. */
const annotationsAnItem = 10

/**
 * Reads a catalogue's content out of a workbook, and empties its sheets. What is wrong becomes a fault; where a sheet is
 * missing, or cannot be understood as a whole, there is no content.
 */
export async function readContent(
  workbook: Workbook,
  options: ReadOptions,
  faults: CellFault[]
): Promise<ReadContent | undefined> {
  const { terminology, limits } = options
  const sheets = await readSheets(workbook, options, faults)
  // What is made of the rows is enough to hold while the content is imported.
  for (const { rows } of workbook.sheets) rows.length = 0
  if (!sheets) return undefined
  const reading: Reading = { terminology, longest: limits.string, faults }
  const [first, ...others] = placed(sheets.catalogue)
  for (const other of others)
    faults.push({
      ...sheetFault(
        sheets.catalogue.name,
        'second-catalogue',
        'There is one catalogue in a workbook. Remove the row.'
      ),
      cell: `A${other.row.number}`
    })
  if (!first) {
    faults.push(
      sheetFault(
        sheets.catalogue.name,
        'no-catalogue',
        'Fill in a row for the catalogue: its name and its seller.'
      )
    )
    return undefined
  }
  const items = [
    ...(await mapYielding(placed(sheets.devices), (at) => ({
      at,
      item: readItem(reading, at, 'DeviceModel')
    }))),
    ...(await mapYielding(placed(sheets.services), (at) => ({ at, item: readItem(reading, at, 'Service') })))
  ]
  const annotations = await mapYielding(placed(sheets.annotations), (at) => ({
    at,
    annotation: readAnnotation(reading, at)
  }))
  return {
    content: {
      catalogue: readCatalogue(reading, first),
      items: items.map(({ item }) => item),
      annotations: annotations.map(({ annotation }) => annotation)
    },
    locate: locator({ items: items.map(({ at }) => at), annotations: annotations.map(({ at }) => at) }, first)
  }
}

type ReadSheets = Record<'catalogue', ReadSheet> &
  Partial<Record<Exclude<SheetMember, 'catalogue'>, ReadSheet>>

const placed = (sheet: ReadSheet | undefined): PlacedRow[] =>
  sheet ? sheet.rows.map((row) => ({ sheet, row })) : []

/** Reads the sheets by their names; undefined where their rows would say nothing, for one is missing or has no headers. */
async function readSheets(
  workbook: Workbook,
  { isAnnotator, limits }: ReadOptions,
  faults: CellFault[]
): Promise<ReadSheets | undefined> {
  const tables = headerIndexes(limits)
  const whole: CellFault[] = []
  const read = async (member: SheetMember): Promise<ReadSheet | undefined> => {
    const sheet = sheetOf(workbook, tables[member], whole)
    return sheet && (await readSheet(sheet, tables[member], { whole, cells: faults }))
  }
  const catalogue = await read('catalogue')
  const devices = await read('devices')
  const services = await read('services')
  const annotations = isAnnotator ? await read('annotations') : undefined
  if (!isAnnotator) refuseSheet(workbook, tables.annotations, whole)
  const items = (devices?.rows.length ?? 0) + (services?.rows.length ?? 0)
  const most = limits.bulkItems
  if (items > most)
    whole.push(
      sheetFault(
        devices?.name ?? services?.name ?? '',
        'too-many-items',
        `A workbook has ${most} items at most; this one has ${items}. Split it.`
      )
    )
  if ((annotations?.rows.length ?? 0) > most * annotationsAnItem)
    whole.push(
      sheetFault(
        annotations?.name ?? '',
        'too-many-annotations',
        `A workbook has ${most * annotationsAnItem} annotations at most. Split it.`
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

/** The sheet of a table; one that nobody sees may hold what nobody means. */
function sheetOf(workbook: Workbook, table: SheetTable, faults: CellFault[]): Sheet | undefined {
  const [sheet, second] = workbook.sheets.filter(isNamed(table))
  if (second)
    faults.push(
      sheetFault(
        second.name,
        'second-sheet',
        `The sheet ${sheet?.name} is there as well. Remove one of them.`
      )
    )
  if (sheet?.isHidden && sheet.rows.length > 0)
    faults.push(sheetFault(sheet.name, 'hidden-sheet', 'The sheet is hidden. Show it, or delete it.'))
  return sheet
}

function refuseSheet(workbook: Workbook, table: SheetTable, faults: CellFault[]): void {
  const sheet = workbook.sheets.find(isNamed(table))
  if (sheet && sheet.rows.length > 1)
    faults.push(
      sheetFault(
        sheet.name,
        'sheet-not-allowed',
        'Annotations are made by those who order. Delete the sheet.'
      )
    )
}

const missing = (...tables: SheetTable[]) =>
  sheetFault(
    tables[0]?.name.en ?? '',
    'missing-sheet',
    `There must be a sheet named ${tables.map(({ name }) => `“${name.en}” (Danish: “${name.da}”)`).join(' or ')}.`
  )

/** Finds the cells of `/catalogue/…`, `/items/3/…` and `/annotations/3/…`; none in a column that is missing, which is told already. */
const locator =
  (rows: Readonly<Record<string, readonly PlacedRow[]>>, catalogue: PlacedRow): Locate =>
  (pointer) => {
    const [, part = '', ...rest] = pointer.split('/')
    const placed = part === 'catalogue' ? catalogue : rows[part]?.[Number(rest.shift())]
    if (!placed) return undefined
    // An item's first identifier may stand in the second's columns.
    if (rest[0] === 'identifiers') rest[1] = String(identifierNumbers(placed.row)[Number(rest[1])] ?? 0)
    const member = rest.join('/')
    return placed.sheet.missing.has(member) ? undefined : placeOf(placed, member)
  }
