import { addressOf } from '../format/address.js'
import { type Archive, openArchive } from '../format/archive.js'
import { assertNotOpenDocument, assertZipFile } from '../format/file-kind.js'
import type { WorkbookLimits } from '../format/limits.js'
import { readSharedStrings } from '../format/shared-strings.js'
import { describeCell, type RawCell, sheetHandlers } from '../format/sheet-part.js'
import { readStyles } from '../format/styles.js'
import { fail } from '../format/workbook-error.js'
import { readWorkbookPart, type SheetEntry } from '../format/workbook-part.js'
import { readXml } from '../format/xml.js'
import { createRowBatcher, textBatches } from './batch.js'
import { type CellContent, type CellContext, contentOf } from './cell-content.js'
import type { WorkbookListener } from './workbook-builder.js'

/** A workbook whose sheets are listed but not yet read. */
export interface OpenedWorkbook {
  archive: Archive
  sheets: SheetEntry[]
  context: CellContext
}

/**
 * Opens a workbook and reads its list of sheets, styles and shared strings.
 * @throws WorkbookError
 */
export async function openWorkbook(bytes: Buffer, limits: WorkbookLimits): Promise<OpenedWorkbook> {
  if (bytes.length > limits.fileBytes) fail('file-too-large', { limit: limits.fileBytes })
  assertZipFile(bytes)
  const archive = await openArchive(bytes, limits)
  await assertNotOpenDocument(archive)
  const { sheets, is1904, ...parts } = await readWorkbookPart(archive, limits)
  const styles = await readStyles(archive, parts.styles)
  const sharedStrings = await readSharedStrings(archive, parts.sharedStrings, limits)
  return { archive, sheets, context: { is1904, styles, sharedStrings } }
}

/**
 * Reads the cells of all sheets. Everything else, such as merged cells and drop-down lists, is
 * ignored.
 * @throws WorkbookError
 */
export async function readCells(
  { archive, sheets, context }: OpenedWorkbook,
  limits: WorkbookLimits,
  listener: WorkbookListener
): Promise<void> {
  listener.sheets(sheets.map(({ name, isHidden }) => ({ name, isHidden })))
  for (const texts of textBatches(context.sharedStrings)) await listener.texts(texts)
  const countCharacters = characterCounter(context, limits)
  const countCells = cellCounter(limits)
  for (const [at, { part }] of sheets.entries()) {
    const where = `sheet ${at + 1}`
    const isInColumns = countCells(where, (address) => listener.beyond(at, address))
    const batcher = createRowBatcher()
    const take = (cell: RawCell) => {
      const content = contentOf(cell, context)
      if (content === null) fail('damaged', { location: describeCell(where, cell) })
      if (!content || !isInColumns(cell)) return
      countCharacters(content)
      const { row, column, formula } = cell
      batcher.add(row, { content, column, fromFormula: formula !== undefined })
    }
    const send = async (isEnd: boolean) => {
      const rows = batcher.take(isEnd)
      if (rows.length > 0) await listener.rows(at, rows)
    }
    const pieces = withHook(archive.open(part), () => send(false))
    await readXml(pieces, sheetHandlers(where, limits.cellCharacters, take))
    await send(true)
  }
}

/** Passes the chunks on and runs `afterEach` after each of them. */
async function* withHook(
  pieces: AsyncIterable<Buffer>,
  afterEach: () => Promise<void>
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece
    await afterEach()
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
  return (content: CellContent): void => {
    if (content.kind === 'shared') return
    total += content.text.length
    if (total > characters) fail('too-much-text', { limit: characters })
  }
}
