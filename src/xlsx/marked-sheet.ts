import { setImmediate as turn } from 'node:timers/promises'
import type ExcelJS from 'exceljs'
import { placeOf } from './address.js'
import type { Row, Sheet } from './cells.js'
import { writeCell } from './marked-cell.js'
import type { Mark } from './marks.js'
import { escaped } from './rich-text.js'

const fill: ExcelJS.FillPattern = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFFFC7CD' } }
/** Characters that a comment shows. */
const MAX_COMMENT = 1_000

/** Rows by whose texts the columns get their widths, and the bounds of these in characters. */
const WIDTH_ROWS = 20
const WIDTHS = { least: 10, most: 40 }

/** Messages by the numbers of their row and column. */
type Messages = Map<number, Map<number, string[]>>

/** Rows after which what was written gets time to be packed. */
const ROWS_AT_ONCE = 100

/** Writes a sheet row by row, with its faulty cells coloured and commented. */
export async function writeMarkedSheet(
  target: ExcelJS.Worksheet,
  sheet: Sheet,
  marks: readonly Mark[]
): Promise<void> {
  const messages = messagesIn(sheet.name, marks)
  target.columns = widthsOf(sheet.rows.slice(0, WIDTH_ROWS)).map((width) => ({ width }))
  let next = 1
  for (const [at, { number, cells }] of withMarkedRows(sheet.rows, messages).entries()) {
    // Where rows are left out, exceljs takes a time that grows with the square of their number.
    for (; next < number; next++) target.getRow(next).commit()
    const row = target.getRow(number)
    // exceljs leaves out rows that have neither a value nor a height.
    if (cells.length === 0) row.height = 15
    for (const cell of cells) writeCell(row.getCell(cell.column), cell)
    for (const [column, texts] of messages.get(number) ?? []) writeMark(row.getCell(column), texts)
    row.commit()
    next = number + 1
    if (at % ROWS_AT_ONCE === 0) await turn()
  }
  target.commit()
}

function messagesIn(sheet: string, marks: readonly Mark[]): Messages {
  const messages: Messages = new Map()
  for (const mark of marks) {
    const place = mark.sheet === sheet && mark.cell !== null ? placeOf(mark.cell) : undefined
    if (!place) continue
    const inRow = messages.get(place.row) ?? new Map<number, string[]>()
    messages.set(place.row, inRow)
    inRow.set(place.column, [...(inRow.get(place.column) ?? []), mark.message])
  }
  return messages
}

/** The rows, and those of which nothing but a missing value is known. */
function withMarkedRows(rows: readonly Row[], messages: Messages): Row[] {
  const known = new Set(rows.map(({ number }) => number))
  const missing = [...messages.keys()].filter((number) => !known.has(number))
  return [...rows, ...missing.map((number) => ({ number, cells: [] }))].sort(
    (one, other) => one.number - other.number
  )
}

function writeMark(cell: ExcelJS.Cell, messages: readonly string[]): void {
  cell.fill = fill
  cell.note = escaped(messages.join('\n').slice(0, MAX_COMMENT).toWellFormed())
}

function widthsOf(rows: readonly Row[]): number[] {
  const widths: number[] = []
  for (const { cells } of rows)
    for (const { column, text } of cells)
      widths[column - 1] = Math.min(
        WIDTHS.most,
        Math.max(widths[column - 1] ?? WIDTHS.least, text.length + 2)
      )
  return Array.from(widths, (width = WIDTHS.least) => width)
}
