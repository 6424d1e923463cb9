import type ExcelJS from 'exceljs'
import { placeOf } from './address.js'
import type { Archive } from './archive.js'
import type { Workbook } from './cells.js'
import { gatherer } from './gather.js'
import { kept } from './keep.js'
import { readLayout } from './layout.js'
import type { WorkbookLimits } from './limits.js'
import type { Mark } from './marks.js'
import { open, readCells } from './read.js'
import { restore } from './restore.js'
import { escaped } from './rich-text.js'
import './whole-texts.js'
import { writtenAnew } from './write-anew.js'

/** Cells that are marked at most, characters that a comment shows, and cells of a workbook that is written at all. */
const most = { marks: 1_000, text: 1_000, cells: 200_000 }
/** Up to where a workbook is kept; a larger one is written anew, which takes half the time and memory. */
const mostKept = { bytes: 64 * 2 ** 20, rows: 20_000 }

/** A red that is nobody else's, so that marks of an earlier time are known and taken away. */
const red = 'FFFFC7CD'
const fill: ExcelJS.FillPattern = { type: 'pattern', pattern: 'solid', fgColor: { argb: red } }

/**
 * Marks cells of a workbook: the one that was sent, with what was in it, or where that cannot be, a new one with its cells.
 * @param isAnew whether the first is not to be tried
 * @throws WorkbookRefusal
 */
export async function mark(
  bytes: Buffer,
  marks: readonly Mark[],
  limits: WorkbookLimits,
  isAnew: boolean
): Promise<Uint8Array> {
  const opened = await open(bytes, limits)
  const { archive, sheets } = opened
  const gathered = gatherer()
  await readCells(opened, { ...limits, cells: Math.min(limits.cells, most.cells) }, gathered)
  const workbook = gathered.workbook()
  const book =
    (!isAnew && (await isSmall(workbook, archive)) && (await kept(bytes, workbook))) || writtenAnew(workbook)
  for (const [at, sheet] of book.worksheets.entries())
    restore(sheet, await readLayout(archive, sheets[at]?.part ?? '', limits.columns))
  unmark(book)
  for (const cell of writtenCells(book)) cell.value = escapedValue(cell.value)
  write(book, workbook, marks.slice(0, most.marks))
  // Quickly rather than tightly packed: it is read once.
  return new Uint8Array(await book.xlsx.writeBuffer({ zip: { compressionOptions: { level: 1 } } }))
}

async function isSmall({ sheets }: Workbook, archive: Archive): Promise<boolean> {
  const rows = sheets.reduce((sum, { rowCount }) => sum + rowCount, 0)
  return rows <= mostKept.rows && (await archive.measure()) <= mostKept.bytes
}

/** exceljs understands what stands for a character, and writes it as if it were a text. */
function escapedValue(value: ExcelJS.CellValue): ExcelJS.CellValue {
  if (typeof value === 'string') return escaped(value)
  if (typeof value !== 'object' || value === null) return value
  if ('richText' in value)
    return { ...value, richText: value.richText.map((run) => ({ ...run, text: escaped(run.text) })) }
  const isLink = 'hyperlink' in value && typeof value.text === 'string'
  return isLink ? { ...value, text: escaped(value.text) } : value
}

/** Takes away the marks that an earlier answer left in the workbook, also those of empty cells. */
function unmark(book: ExcelJS.Workbook): void {
  for (const cell of writtenCells(book)) {
    if (cell.fill?.type !== 'pattern' || cell.fill.fgColor?.argb !== red) continue
    cell.style = { ...cell.style, fill: { type: 'pattern', pattern: 'none' } }
    // There is no other way; a loaded comment is kept in two places.
    Reflect.deleteProperty(cell, '_comment')
    Reflect.deleteProperty(cell.model, 'comment')
  }
}

/** Found one by one: what exceljs walks is either without empty cells, or made up where there are none. */
function* writtenCells(book: ExcelJS.Workbook): Generator<ExcelJS.Cell> {
  for (const sheet of book.worksheets)
    for (let number = 1; number <= sheet.rowCount; number++) {
      const row = sheet.findRow(number)
      for (let column = 1; column <= (row?.cellCount ?? 0); column++) {
        const cell = sheet.findCell(number, column)
        if (cell) yield cell
      }
    }
}

/** Marks of the same cell stand in one comment; those of a sheet or a cell that cannot be are left out. */
function write(book: ExcelJS.Workbook, { sheets }: Workbook, marks: readonly Mark[]): void {
  const texts = new Map<ExcelJS.Cell, string[]>()
  const written = book.worksheets
  for (const { sheet, cell, text } of marks) {
    const found = written[sheets.findIndex(({ name }) => name === sheet)]
    if (!found || !placeOf(cell)) continue
    const marked = found.getCell(cell).master
    texts.set(marked, [...(texts.get(marked) ?? []), text])
  }
  for (const [cell, list] of texts) {
    // Cells of the same format share the object that says so.
    cell.style = { ...cell.style, fill }
    cell.note = escaped(list.join('\n').slice(0, most.text))
  }
}
