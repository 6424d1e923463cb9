import type { CatalogueContent } from '../../../catalogue/content/catalogue-content.js'
import { mapYielding } from '../../../platform/concurrency/map-yielding.js'
import type { Workbook } from '../../../xlsx/reading/cells.js'
import { type CellFault, type LocateCell, sheetFault } from '../cell-faults.js'
import type { SheetMember } from '../columns/columns.js'
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

/** The content of a workbook, and the cells from which it was read. */
export interface ReadContent {
  content: CatalogueContent
  locate: LocateCell
  /** Finds the row of a part, such as `items`; the index counts within the part. */
  rowOf: (part: string, index: number) => LocatedRow | undefined
  /** Number of hidden rows, which are read like visible rows. */
  hiddenRows: number
  /** Columns that were not read, because their headers are unknown. */
  ignored: readonly (IgnoredColumn & { sheet: string })[]
}

/**
 * Reads the content of a catalogue from a workbook, and empties its sheets to free memory.
 * @param faults collects all faults.
 * @returns undefined if there are more rows than the maximum.
 */
export async function readContent(
  workbook: Workbook,
  options: ReadOptions,
  faults: CellFault[]
): Promise<ReadContent | undefined> {
  const read = await readSheets(workbook, options, faults)
  // The parsed rows are enough; free the cells during the import.
  for (const { rows } of workbook.sheets) rows.length = 0
  if (!read) return undefined
  const { sheets, areItemsComplete } = read
  const ownContext: RowContext = { terminology: options.terminology, faults }
  const rowsOf = (member: SheetMember) => locatedRows(sheets.get(member))
  const catalogueRow = onlyRow(sheets.get('catalogue'), faults)
  const catalogue = catalogueRow ? readCatalogue(ownContext, catalogueRow) : unknownCatalogue
  const context = { ...ownContext, defaultSystem: catalogue.identifiers[0]?.system }
  const [devices, services] = [rowsOf('devices'), rowsOf('services')]
  const items = [
    ...(await mapYielding(devices, (row) => readItem(context, row, 'DeviceModel'))),
    ...(await mapYielding(services, (row) => readItem(context, row, 'Service')))
  ]
  const [annotationRows, entryRows] = [rowsOf('annotations'), rowsOf('whiteList')]
  const annotations = await mapYielding(annotationRows, (row) => readAnnotation(context, row))
  const whiteList = await mapYielding(entryRows, (row) => readWhiteListEntry(context, row))
  const withItem = <T extends { item: unknown }>(row: T) =>
    areItemsComplete ? row : { ...row, item: undefined }
  const rows: Readonly<Record<string, readonly LocatedRow[]>> = {
    catalogue: catalogueRow ? [catalogueRow] : [],
    items: [...devices, ...services],
    annotations: annotationRows,
    whiteList: entryRows
  }
  const rowOf: ReadContent['rowOf'] = (part, index) => rows[part]?.[index]
  return {
    content: {
      catalogue,
      items: items.map((item) => (areItemsComplete ? item : { ...item, relatedTo: null })),
      annotations: annotations.map(withItem),
      whiteList: whiteList.map(withItem)
    },
    locate: locator(rowOf),
    rowOf,
    hiddenRows: Object.values(rows)
      .flat()
      .filter(({ row }) => row.isHidden).length,
    ignored: [...sheets.values()].flatMap(({ name, ignored }) =>
      ignored.map((each) => ({ sheet: name, ...each }))
    )
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

/** The only row of the sheet of the catalogue. A missing row or a second row is a fault. */
function onlyRow(sheet: ReadSheet | undefined, faults: CellFault[]): LocatedRow | undefined {
  const [first, ...others] = locatedRows(sheet)
  if (sheet && !first) faults.push(sheetFault(sheet.name, 'no-catalogue'))
  for (const { sheet, row } of others)
    faults.push({ ...sheetFault(sheet.name, 'second-catalogue'), cell: `A${row.number}` })
  return first
}

const locatedRows = (sheet: ReadSheet | undefined): LocatedRow[] =>
  sheet ? sheet.rows.map((row) => ({ sheet, row })) : []

/**
 * Finds the cells of `/catalogue/…`, `/items/3/…` and the like; undefined if the column
 * is missing.
 */
const locator =
  (rowOf: ReadContent['rowOf']): LocateCell =>
  (pointer) => {
    const [, part = '', ...rest] = pointer.split('/')
    const located = rowOf(part, part === 'catalogue' ? 0 : Number(rest.shift()))
    if (!located) return undefined
    // The first identifier of an item may be in the columns of the second.
    if (rest[0] === 'identifiers')
      rest[1] = String(filledIdentifierColumns(located.row)[Number(rest[1])] ?? 0)
    const member = rest.join('/')
    return located.sheet.missing.has(member) ? undefined : locateCell(located, member)
  }
