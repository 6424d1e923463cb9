import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type ExcelJS from 'exceljs'
import { addTextRow } from '../../excel/sheets/writing/add-text-row.js'
import type { ExportKind, ExportSource } from './kinds.js'

/** Limits of Excel. */
const MAX_ROWS = 1_048_576
const MAX_CELL_LENGTH = 32_767

const CUT = '… (cut: the JSON has the whole text)'

/** Half of the room of a cell, because escaping may make a text longer. */
const MAX_TEXT_LENGTH = MAX_CELL_LENGTH / 2 - CUT.length

/**
 * Writes a workbook with a sheet for each kind, and all cells as text.
 * @throws Error if a kind has more rows than a sheet.
 */
export async function writePatientWorkbook(source: ExportSource, stream: Writable): Promise<void> {
  // Imported only here, as it takes long to load.
  const { default: excel } = await import('exceljs')
  const book = new excel.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: false })
  const written = finished(stream)
  // An error of the stream would otherwise be reported as unhandled before it is awaited.
  written.catch(() => {})
  addTextRow(textSheet(book, 'patient', 2), ['patient', source.patient])
  for (const kind of source.kinds) await addSheet(book, kind, source.read(kind), stream)
  await Promise.all([book.commit(), written])
}

function textSheet(book: ExcelJS.stream.xlsx.WorkbookWriter, name: string, columns: number) {
  const sheet = book.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] })
  sheet.columns = Array.from({ length: columns }, () => ({ width: 24, style: { numFmt: '@' } }))
  return sheet
}

async function addSheet(
  book: ExcelJS.stream.xlsx.WorkbookWriter,
  { name, columns }: ExportKind,
  rows: AsyncIterable<string>,
  stream: Writable
): Promise<void> {
  const sheet = textSheet(book, name, columns.length)
  addTextRow(sheet, columns)
  let count = 1
  for await (const row of rows) {
    if (++count > MAX_ROWS)
      throw new Error(`A sheet cannot hold the rows of ${name}. Export a .json file only: --to <file>.json`)
    const values = JSON.parse(row) as Record<string, unknown>
    addTextRow(
      sheet,
      columns.map((column) => cellText(values[column]))
    )
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
  sheet.commit()
}

/** Arrays and objects as JSON. */
function cellText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) + CUT : text
}
