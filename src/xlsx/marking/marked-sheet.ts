import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type ExcelJS from 'exceljs'
import { parseAddress } from '../format/address.js'
import { escapeText } from '../format/rich-text.js'
import type { Cell, Row, Sheet } from '../reading/cells.js'
import type { MarkedFault } from './fault-sheet.js'

const FAULT_FILL: ExcelJS.FillPattern = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFFFC7CD' } }
/** Maximum number of characters of a comment. */
const MAX_COMMENT_CHARACTERS = 1_000

/**
 * Number of rows that are measured for the widths of columns, and the bounds of a width in
 * characters.
 */
const MEASURED_ROWS = 20
const MIN_WIDTH = 10
const MAX_WIDTH = 40

/** Messages by row number, then by column number. */
type Messages = Map<number, Map<number, string[]>>

/** Rows between two yields to the event loop, which lets the written rows be compressed. */
const ROWS_PER_TURN = 100

/** Writes a sheet row by row and colours and comments its faulty cells. */
export async function writeMarkedSheet(
  target: ExcelJS.Worksheet,
  sheet: Sheet,
  marks: readonly MarkedFault[]
): Promise<void> {
  const messages = messagesIn(sheet.name, marks)
  target.columns = widthsOf(sheet.rows.slice(0, MEASURED_ROWS)).map((width) => ({ width }))
  let next = 1
  for (const [at, { number, cells }] of withMarkedRows(sheet.rows, messages).entries()) {
    // Also commits the empty rows, because for gaps exceljs takes time quadratic in the number of
    // rows.
    for (; next < number; next++) target.getRow(next).commit()
    const row = target.getRow(number)
    // exceljs skips rows without a value or a height.
    if (cells.length === 0) row.height = 15
    for (const cell of cells) writeCellValue(row.getCell(cell.column), cell)
    for (const [column, texts] of messages.get(number) ?? []) writeMark(row.getCell(column), texts)
    row.commit()
    next = number + 1
    if (at % ROWS_PER_TURN === 0) await yieldToEventLoop()
  }
  target.commit()
}

function messagesIn(sheet: string, marks: readonly MarkedFault[]): Messages {
  const messages: Messages = new Map()
  for (const mark of marks) {
    const location = mark.sheet === sheet && mark.cell !== null ? parseAddress(mark.cell) : undefined
    if (!location) continue
    const inRow = messages.get(location.row) ?? new Map<number, string[]>()
    messages.set(location.row, inRow)
    inRow.set(location.column, [...(inRow.get(location.column) ?? []), mark.message])
  }
  return messages
}

/** Adds empty rows for marks on rows without cells. */
function withMarkedRows(rows: readonly Row[], messages: Messages): Row[] {
  const known = new Set(rows.map(({ number }) => number))
  const missing = [...messages.keys()].filter((number) => !known.has(number))
  return [...rows, ...missing.map((number) => ({ number, isHidden: false, cells: [] }))].sort(
    (one, other) => one.number - other.number
  )
}

function writeMark(cell: ExcelJS.Cell, messages: readonly string[]): void {
  cell.fill = FAULT_FILL
  cell.note = escapeText(messages.join('\n').slice(0, MAX_COMMENT_CHARACTERS).toWellFormed())
}

function widthsOf(rows: readonly Row[]): number[] {
  const widths: number[] = []
  for (const { cells } of rows)
    for (const { column, text } of cells)
      widths[column - 1] = Math.min(MAX_WIDTH, Math.max(widths[column - 1] ?? MIN_WIDTH, text.length + 2))
  return Array.from(widths, (width = MIN_WIDTH) => width)
}

/** Writes the value of a cell and keeps its type and its displayed text. */
function writeCellValue(target: ExcelJS.Cell, cell: Cell): void {
  target.value = valueFor(cell)
  // Text format, so that the text stays a text when it is edited.
  if (cell.kind === 'text') target.numFmt = '@'
  else if ('format' in cell && cell.format !== 'General') target.numFmt = cell.format
}

function valueFor(cell: Cell): ExcelJS.CellValue {
  if (cell.kind === 'text') return escapeText(cell.text)
  if (cell.kind === 'error') return { error: cell.text as ExcelJS.CellErrorValue['error'] }
  // Formulas are never written, because their text or an empty cell would be read as the value of
  // the returned workbook.
  return cell.kind === 'formula' ? { error: '#N/A' } : cell.value
}
