import { addressOf } from '../format/address.js'
import { assertNotOpenDocument, assertZipFile, openArchive } from '../format/archive.js'
import type { WorkbookLimits } from '../format/limits.js'
import { readStyles } from '../format/number-format.js'
import { readSharedStrings } from '../format/rich-text.js'
import { locationOf, type RawCell, sheetHandlers } from '../format/sheet-part.js'
import { throwWorkbookError } from '../format/workbook-error.js'
import { readWorkbookPart } from '../format/workbook-part.js'
import { readXml } from '../format/xml.js'
import { type CellContent, contentOf, type Sheet, type Workbook } from './cells.js'

/**
 * Reads the cells of all sheets. All other parts, such as merged cells and drop-down lists, are
 * ignored.
 * @throws WorkbookError
 */
export async function readWorkbook(bytes: Buffer, limits: WorkbookLimits): Promise<Workbook> {
  if (bytes.length > limits.fileBytes) throwWorkbookError('file-too-large', { limit: limits.fileBytes })
  assertZipFile(bytes)
  const archive = await openArchive(bytes, limits)
  await assertNotOpenDocument(archive)
  const { sheets: entries, is1904, ...parts } = await readWorkbookPart(archive, limits)
  const styles = await readStyles(archive, parts.styles)
  const sharedStrings = await readSharedStrings(archive, parts.sharedStrings, limits)
  const context = { is1904, styles, sharedStrings }
  const totals = { cells: 0, characters: 0 }
  const sheets: Sheet[] = []
  for (const { name, isHidden, part } of entries) {
    const sheet: Sheet = { name, isHidden, beyond: undefined, rows: [] }
    sheets.push(sheet)
    const number = sheets.length
    const addTo = (cell: RawCell) => {
      const content = contentOf(cell, context)
      if (content === null) throwWorkbookError('damaged', { location: locationOf(number, cell) })
      if (content) addCell({ sheet, number, totals, limits }, cell, content)
    }
    await readXml(archive.open(part), sheetHandlers(number, limits.cellCharacters, addTo))
  }
  return { sheets }
}

interface Target {
  sheet: Sheet
  /** The number of the sheet, for errors. */
  number: number
  /** Number of cells and characters of all sheets so far. */
  totals: { cells: number; characters: number }
  limits: WorkbookLimits
}

/** Adds a non-empty cell to a sheet. Cells come row by row and from left to right. */
function addCell(
  { sheet, number, totals, limits }: Target,
  { row: rowNumber, isRowHidden, column }: RawCell,
  content: CellContent
): void {
  if (column > limits.columns) {
    sheet.beyond ??= addressOf(column, rowNumber)
    return
  }
  if (++totals.cells > limits.cells) throwWorkbookError('too-many-cells', { limit: limits.cells })
  totals.characters += content.text.length
  if (totals.characters > limits.characters) throwWorkbookError('too-much-text', { limit: limits.characters })
  let row = sheet.rows.at(-1)
  if (row?.number !== rowNumber) {
    if (sheet.rows.length === limits.rows)
      throwWorkbookError('too-many-rows', { limit: limits.rows, location: { sheet: number } })
    row = { number: rowNumber, isHidden: isRowHidden, cells: [] }
    sheet.rows.push(row)
  }
  // A spread copy of each cell would double the time of reading.
  row.cells.push(Object.assign(content, { column }))
}
