import { addressOf } from '../format/address.js'
import { openArchive } from '../format/archive.js'
import { assertNotOpenDocument, assertZipFile } from '../format/file-kind.js'
import type { WorkbookLimits } from '../format/limits.js'
import { readStyles } from '../format/number-format.js'
import { readSharedStrings } from '../format/rich-text.js'
import { describeCell, type RawCell, sheetHandlers } from '../format/sheet-part.js'
import { fail } from '../format/workbook-error.js'
import { readWorkbookPart } from '../format/workbook-part.js'
import { readXml } from '../format/xml.js'
import { type CellContext, contentOf } from './cell-content.js'
import type { Sheet, StoredCell, StoredContent, StoredWorkbook } from './cells.js'

/**
 * Reads the cells of all sheets. Everything else, such as merged cells and drop-down lists, is
 * ignored.
 * @throws WorkbookError
 */
export async function readWorkbook(bytes: Buffer, limits: WorkbookLimits): Promise<StoredWorkbook> {
  if (bytes.length > limits.fileBytes) fail('file-too-large', { limit: limits.fileBytes })
  assertZipFile(bytes)
  const archive = await openArchive(bytes, limits)
  await assertNotOpenDocument(archive)
  const { sheets: entries, is1904, ...parts } = await readWorkbookPart(archive, limits)
  const styles = await readStyles(archive, parts.styles)
  const sharedStrings = await readSharedStrings(archive, parts.sharedStrings, limits)
  const context = { is1904, styles, sharedStrings }
  const counters = { characters: characterCounter(context, limits), cells: cellCounter(limits) }
  const sheets: Sheet<StoredCell>[] = []
  for (const { name, isHidden, part } of entries) {
    const sheet = { name, isHidden, beyond: undefined, rows: [] }
    sheets.push(sheet)
    const where = `sheet ${sheets.length}`
    const take = cellTaker(sheet, where, context, counters)
    await readXml(archive.open(part), sheetHandlers(where, limits.cellCharacters, take))
  }
  return { texts: sharedStrings, sheets }
}

/** Adds non-empty cells, which come row by row and from left to right, to a sheet. */
function cellTaker(
  sheet: Sheet<StoredCell>,
  where: string,
  context: CellContext,
  counters: { characters: ReturnType<typeof characterCounter>; cells: ReturnType<typeof cellCounter> }
): (cell: RawCell) => void {
  const isInColumns = counters.cells(where, (address) => {
    sheet.beyond = address
  })
  return (cell) => {
    const content = contentOf(cell, context)
    if (content === null) fail('damaged', { location: describeCell(where, cell) })
    if (!content || !isInColumns(cell)) return
    counters.characters(content)
    let row = sheet.rows.at(-1)
    if (row?.number !== cell.row) {
      row = { number: cell.row, cells: [] }
      sheet.rows.push(row)
    }
    // A spread copy of each cell would double the time of reading.
    row.cells.push(Object.assign(content, { column: cell.column, fromFormula: cell.formula !== undefined }))
  }
}

/**
 * Counts the cells of all sheets and the rows of each. Returns false for cells beyond the columns
 * that are read.
 */
function cellCounter({ cells, rows, columns }: WorkbookLimits) {
  let cellsSoFar = 0
  return (where: string, onBeyond: (address: string) => void) => {
    let row = 0
    let rowsSoFar = 0
    let isReported = false
    return (cell: RawCell): boolean => {
      if (cell.column > columns) {
        if (!isReported) onBeyond(addressOf(cell.column, cell.row))
        isReported = true
        return false
      }
      if (++cellsSoFar > cells) fail('too-many-cells', { limit: cells })
      if (cell.row !== row && ++rowsSoFar > rows) fail('too-many-rows', { limit: rows, location: where })
      row = cell.row
      return true
    }
  }
}

/** Counts the characters of all texts: the shared strings once, then the texts of cells. */
function characterCounter({ sharedStrings }: CellContext, { characters }: WorkbookLimits) {
  let total = sharedStrings.reduce((sum, { length }) => sum + length, 0)
  return (content: StoredContent): void => {
    if (content.kind === 'shared') return
    total += content.text.length
    if (total > characters) fail('too-much-text', { limit: characters })
  }
}
