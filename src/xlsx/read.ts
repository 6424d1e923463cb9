import { addressOf } from './address.js'
import { type Archive, openArchive } from './archive.js'
import { rowBatcher, textBatches } from './batch.js'
import { type CellContent, contentOf, type Surroundings } from './cell-content.js'
import { refuseOtherArchives, refuseOtherFiles } from './file-kind.js'
import type { Listener } from './gather.js'
import type { WorkbookLimits } from './limits.js'
import { refuse } from './refusal.js'
import { readSharedStrings } from './shared-strings.js'
import { nameOf, type RawCell, sheetHandlers } from './sheet-part.js'
import { readStyles } from './styles.js'
import { readWorkbookPart, type SheetEntry } from './workbook-part.js'
import { readXml } from './xml.js'

/** A workbook whose sheets are known and not yet read. */
export interface OpenedWorkbook {
  archive: Archive
  sheets: SheetEntry[]
  around: Surroundings
}

/** @throws WorkbookRefusal */
export async function open(bytes: Buffer, limits: WorkbookLimits): Promise<OpenedWorkbook> {
  if (bytes.length > limits.fileBytes) refuse('file-too-large', { limit: limits.fileBytes })
  refuseOtherFiles(bytes)
  const archive = await openArchive(bytes, limits)
  await refuseOtherArchives(archive)
  const { sheets, is1904, ...parts } = await readWorkbookPart(archive, limits)
  const styles = await readStyles(archive, parts.styles)
  const sharedStrings = await readSharedStrings(archive, parts.sharedStrings, limits)
  return { archive, sheets, around: { is1904, styles, sharedStrings } }
}

/**
 * Reads the cells of all sheets. What is not asked for, such as merged cells and drop-down lists, is never looked at.
 * @throws WorkbookRefusal
 */
export async function readCells(
  { archive, sheets, around }: OpenedWorkbook,
  limits: WorkbookLimits,
  listener: Listener
): Promise<void> {
  listener.sheets(sheets.map(({ name, isHidden }) => ({ name, isHidden })))
  for (const texts of textBatches(around.sharedStrings)) await listener.texts(texts)
  const countCharacters = characterCounter(around, limits)
  const count = counter(limits)
  for (const [at, { part }] of sheets.entries()) {
    const where = `sheet ${at + 1}`
    const isCounted = count(where, (address) => listener.beyond(at, address))
    const batcher = rowBatcher()
    const take = (cell: RawCell) => {
      const content = contentOf(cell, around)
      if (content === null) refuse('damaged', { place: nameOf(where, cell) })
      if (!content || !isCounted(cell)) return
      countCharacters(content)
      const { row, column, formula } = cell
      batcher.add(row, { content, column, fromFormula: formula !== undefined })
    }
    const send = async (isEnd: boolean) => {
      const rows = batcher.take(isEnd)
      if (rows.length > 0) await listener.rows(at, rows)
    }
    const pieces = followed(archive.open(part), () => send(false))
    await readXml(pieces, sheetHandlers(where, limits.cellCharacters, take))
    await send(true)
  }
}

/** The pieces, with something done after each. */
async function* followed(pieces: AsyncIterable<Buffer>, then: () => Promise<void>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece
    await then()
  }
}

/** Counts the cells of all sheets and the rows of each, and whether a cell lies within the columns that are read. */
function counter({ cells, rows, columns }: WorkbookLimits) {
  let cellsSoFar = 0
  return (where: string, onBeyond: (address: string) => void) => {
    let row = 0
    let rowsSoFar = 0
    let isBeyondTold = false
    return (cell: RawCell): boolean => {
      if (cell.column > columns) {
        if (!isBeyondTold) onBeyond(addressOf(cell.column, cell.row))
        isBeyondTold = true
        return false
      }
      if (++cellsSoFar > cells) refuse('too-many-cells', { limit: cells })
      if (cell.row !== row && ++rowsSoFar > rows) refuse('too-many-rows', { limit: rows, place: where })
      row = cell.row
      return true
    }
  }
}

/** Counts the characters of all texts: each that cells share once, then those of the cells themselves. */
function characterCounter({ sharedStrings }: Surroundings, { characters }: WorkbookLimits) {
  let total = sharedStrings.reduce((sum, { length }) => sum + length, 0)
  return (content: CellContent): void => {
    if (content.kind === 'shared') return
    total += content.text.length
    if (total > characters) refuse('too-much-text', { limit: characters })
  }
}
