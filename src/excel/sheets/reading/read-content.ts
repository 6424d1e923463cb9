import type { CatalogueContent } from '../../../catalogue/content/catalogue-content.js'
import { mapYielding } from '../../../platform/concurrency/map-yielding.js'
import type { Workbook } from '../../../xlsx/reading/cells.js'
import { type CellFault, type LocateCell, sheetFault } from '../cell-faults.js'
import {
  filledIdentifierColumns,
  readAnnotation,
  readCatalogue,
  readItem,
  readWhiteListEntry
} from './read-row.js'
import { type ReadOptions, readSheets } from './read-sheets.js'
import { type LocatedRow, locateCell, type RowContext } from './row-fields.js'
import type { IgnoredColumn, ReadSheet } from './sheet-rows.js'

/** The content of a workbook, and the cells it was read from. */
export interface ReadContent {
  content: CatalogueContent
  locate: LocateCell
  /** Columns that were not read, because their headers are unknown. */
  ignored: readonly (IgnoredColumn & { sheet: string })[]
}

/**
 * Reads the content of a catalogue from a workbook, and empties its sheets to free memory.
 * @param faults collects all faults.
 * @returns undefined if there are more rows than are validated.
 */
export async function readContent(
  workbook: Workbook,
  options: ReadOptions,
  faults: CellFault[]
): Promise<ReadContent | undefined> {
  const sheets = await readSheets(workbook, options, faults)
  // The parsed rows are enough; free the cells during the import.
  for (const { rows } of workbook.sheets) rows.length = 0
  if (!sheets) return undefined
  const { areItemsComplete } = sheets
  const context: RowContext = { terminology: options.terminology, faults }
  const first = catalogueRow(sheets.catalogue, faults)
  const items = [
    ...(await mapYielding(locatedRows(sheets.devices), (at) => ({
      at,
      item: readItem(context, at, 'DeviceModel')
    }))),
    ...(await mapYielding(locatedRows(sheets.services), (at) => ({
      at,
      item: readItem(context, at, 'Service')
    })))
  ]
  const annotations = await mapYielding(locatedRows(sheets.annotations), (at) => ({
    at,
    annotation: readAnnotation(context, at)
  }))
  const whiteList = await mapYielding(locatedRows(sheets.whiteList), (at) => ({
    at,
    entry: readWhiteListEntry(context, at)
  }))
  const withItem = <T extends { item: unknown }>(row: T) =>
    areItemsComplete ? row : { ...row, item: undefined }
  return {
    content: {
      catalogue: first ? readCatalogue(context, first) : unknownCatalogue,
      items: items.map(({ item }) => (areItemsComplete ? item : { ...item, relatedTo: null })),
      annotations: annotations.map(({ annotation }) => withItem(annotation)),
      whiteList: whiteList.map(({ entry }) => withItem(entry))
    },
    locate: locator(
      {
        items: items.map(({ at }) => at),
        annotations: annotations.map(({ at }) => at),
        whiteList: whiteList.map(({ at }) => at)
      },
      first
    ),
    ignored: sheets.all.flatMap(({ name, ignored }) => ignored.map((each) => ({ sheet: name, ...each })))
  }
}

/** Content without a row for the catalogue, which is a fault already. */
const unknownCatalogue: CatalogueContent['catalogue'] = {
  identifiers: [],
  seller: '',
  name: '',
  status: 'DRAFT',
  omitted: [],
  identifierColumnCount: 0
}

/** The only row of the sheet of the catalogue. That there is none or a second one is a fault. */
function catalogueRow(sheet: ReadSheet | undefined, faults: CellFault[]): LocatedRow | undefined {
  const [first, ...others] = locatedRows(sheet)
  if (sheet && !first)
    faults.push(
      sheetFault(sheet.name, 'no-catalogue', {
        en: 'Fill in a row for the catalogue: its name and its seller.',
        da: 'Udfyld en række for kataloget: dets navn og dets leverandør.'
      })
    )
  for (const { sheet, row } of others)
    faults.push({
      ...sheetFault(sheet.name, 'second-catalogue', {
        en: 'A workbook has one catalogue. Remove the row.',
        da: 'Der er ét katalog i en fil. Fjern rækken.'
      }),
      cell: `A${row.number}`
    })
  return first
}

const locatedRows = (sheet: ReadSheet | undefined): LocatedRow[] =>
  sheet ? sheet.rows.map((row) => ({ sheet, row })) : []

/**
 * Finds the cells of `/catalogue/…`, `/items/3/…` and the like; undefined if the column
 * is missing.
 */
const locator =
  (rows: Readonly<Record<string, readonly LocatedRow[]>>, catalogue: LocatedRow | undefined): LocateCell =>
  (pointer) => {
    const [, part = '', ...rest] = pointer.split('/')
    const located = part === 'catalogue' ? catalogue : rows[part]?.[Number(rest.shift())]
    if (!located) return undefined
    // The first identifier of an item may be in the columns of the second.
    if (rest[0] === 'identifiers')
      rest[1] = String(filledIdentifierColumns(located.row)[Number(rest[1])] ?? 0)
    const member = rest.join('/')
    return located.sheet.missing.has(member) ? undefined : locateCell(located, member)
  }
