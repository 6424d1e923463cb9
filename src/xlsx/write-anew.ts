import ExcelJS from 'exceljs'
import type { Cell, Workbook } from './cells.js'

/** Writes a workbook from nothing but its cells. */
export function writtenAnew({ sheets }: Workbook): ExcelJS.Workbook {
  const book = new ExcelJS.Workbook()
  for (const [at, { name, isHidden, rows }] of sheets.entries()) {
    const sheet = book.addWorksheet(usableName(name, at, book), { state: isHidden ? 'hidden' : 'visible' })
    for (const row of rows) for (const cell of row.cells) write(sheet.getCell(row.number, cell.column), cell)
  }
  return book
}

/** A name that Excel takes: 31 characters, none of some, and no other sheet's. */
function usableName(name: string, at: number, book: ExcelJS.Workbook): string {
  const usable = name
    .replace(/[*?:\\/[\]]/g, ' ')
    .replace(/^'|'$/g, ' ')
    .slice(0, 31)
    .trim()
  const isTaken = book.worksheets.some((sheet) => sheet.name.toLowerCase() === usable.toLowerCase())
  return usable === '' || usable === 'History' || isTaken ? `Sheet ${at + 1}` : usable
}

function write(target: ExcelJS.Cell, cell: Cell): void {
  target.value = valueFor(cell)
  const format = formatFor(cell)
  if (format) target.numFmt = format
}

function valueFor(cell: Cell): ExcelJS.CellValue {
  const { kind, text } = cell
  if (kind === 'number' || kind === 'boolean') return cell.value
  if (kind === 'error') return { error: text as ExcelJS.CellErrorValue['error'] }
  if (kind === 'formula') return text === '' ? null : { formula: text, date1904: false }
  if (kind === 'text') return text
  if (isTime(text)) return new Date(`1899-12-30T${text}Z`)
  return new Date(text.includes('T') ? `${text}Z` : text)
}

/** What keeps the zeros before a number, and a date a date. */
function formatFor({ kind, text }: Cell): string | undefined {
  if (kind === 'number' && /^-?0\d+$/.test(text)) return '0'.repeat(text.replace('-', '').length)
  if (kind !== 'date') return undefined
  return isTime(text) ? 'hh:mm:ss' : text.includes('T') ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd'
}

const isTime = (date: string) => !date.includes('-')
