import type ExcelJS from 'exceljs'
import { placeOf } from './address.js'
import type { Workbook } from './cells.js'
import { gatherer } from './gather.js'
import { kept } from './keep.js'
import { type Layout, readLayout } from './layout.js'
import type { WorkbookLimits } from './limits.js'
import type { Mark } from './marks.js'
import { open, readCells } from './read.js'
import { writtenAnew } from './write-anew.js'

/** Cells that are marked at most, and characters that a comment shows. */
const most = { marks: 1_000, text: 1_000 }
/** Unpacked bytes up to which a workbook is kept; a larger one is written anew, which takes less memory. */
const keptBytes = 64 * 2 ** 20

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
  const gathered = gatherer()
  await readCells(opened, limits, gathered)
  const workbook = gathered.workbook()
  const { archive } = opened
  const layouts: Layout[] = []
  for (const { part } of opened.sheets) layouts.push(await readLayout(archive, part, limits.columns))
  const isSmall = !isAnew && (await archive.measure()) <= keptBytes
  const book = (isSmall ? await kept(bytes, workbook, layouts) : undefined) ?? writtenAnew(workbook, layouts)
  unmark(book)
  write(book, workbook, marks.slice(0, most.marks))
  return new Uint8Array(await book.xlsx.writeBuffer())
}

/** Takes away the marks that an earlier answer left in the workbook. */
function unmark(book: ExcelJS.Workbook): void {
  for (const sheet of book.worksheets)
    sheet.eachRow((row) =>
      row.eachCell((cell) => {
        if (cell.fill?.type !== 'pattern' || cell.fill.fgColor?.argb !== red) return
        cell.style = { ...cell.style, fill: { type: 'pattern', pattern: 'none' } }
        Reflect.deleteProperty(cell, '_comment')
      })
    )
}

/** Marks of the same cell stand in one comment; those of a sheet or a cell that cannot be are left out. */
function write(book: ExcelJS.Workbook, { sheets }: Workbook, marks: readonly Mark[]): void {
  const texts = new Map<ExcelJS.Cell, string[]>()
  for (const { sheet, cell, text } of marks) {
    const found = book.worksheets[sheets.findIndex(({ name }) => name === sheet)]
    if (!found || !placeOf(cell)) continue
    const marked = found.getCell(cell).master
    texts.set(marked, [...(texts.get(marked) ?? []), text])
  }
  for (const [cell, list] of texts) {
    // Cells of the same format share the object that says so.
    cell.style = { ...cell.style, fill }
    cell.note = list.join('\n').slice(0, most.text)
  }
}
