import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type ExcelJS from 'exceljs'
import type { Language } from '../../../platform/errors/language.js'
import { columnLetters } from '../../../xlsx/format/address.js'
import { exampleMark, sheetNames } from '../../sheets.texts.js'
import { addTextRow } from '../cell-text.js'
import type { Column, ListName, SheetTable } from '../columns/columns.js'
import type { Cells } from './cells-of.js'
import { addCodes } from './codes-sheet.js'
import { type DropdownLists, isClosedList } from './dropdown-lists.js'
import { addInstructions } from './instructions-sheet.js'

/** A sheet to write: its columns, and its rows. */
export interface SheetToWrite {
  table: SheetTable
  rows: Iterable<Cells>
  /** Adds an example row. The row is marked as an example and skipped on import. */
  hasExample: boolean
}

export interface WorkbookToWrite {
  language: Language
  sheets: readonly SheetToWrite[]
  lists: DropdownLists
  /** Rows of a sheet that get drop-down lists. */
  listRows: number
}

export const XLSX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Prints all columns on the width of an A4 page. Rows take as many pages as they need. */
const FIT_TO_WIDTH = { paperSize: 9, orientation: 'landscape', fitToWidth: 1, fitToHeight: 0 } as const

type Sheet = ExcelJS.Worksheet

/** Cells between two yields to the event loop. */
const CELLS_PER_TURN = 400

/** Streams a workbook row by row, in bounded memory and without blocking the event loop. */
export function writeWorkbook(workbook: WorkbookToWrite): Readable {
  const stream = new PassThrough()
  write(workbook, stream).catch((error) => stream.destroy(error))
  return stream
}

async function write(workbook: WorkbookToWrite, stream: PassThrough): Promise<void> {
  const { language, lists } = workbook
  // Imported only here: loading exceljs takes a quarter of the start time.
  const { default: excel } = await import('exceljs')
  await yieldToEventLoop()
  const book = new excel.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: false })
  addInstructions(
    book.addWorksheet(sheetNames.instructions[language], { pageSetup: FIT_TO_WIDTH }),
    workbook.sheets.map(({ table }) => table),
    language
  )
  for (const { table, rows, hasExample } of workbook.sheets) {
    const sheet = book.addWorksheet(table.name[language], {
      views: [{ state: 'frozen', ySplit: 1 }],
      pageSetup: FIT_TO_WIDTH
    })
    // Text format, so that Excel keeps 00123 as typed.
    sheet.columns = table.columns.map(({ width }) => ({ width, style: { numFmt: '@' } }))
    addHeaders(sheet, table.columns, language)
    for (const [at, { list }] of table.columns.entries()) if (list) addDropDown(sheet, at + 1, list, workbook)
    if (hasExample) addExample(sheet, table.columns, workbook)
    await addRows(sheet, table.columns, rows, stream)
    sheet.commit()
  }
  addCodes(book.addWorksheet(sheetNames.codes[language]), lists, language)
  nameFilters(book, workbook)
  await book.commit()
}

/**
 * LibreOffice finds the filter of a sheet by this name. exceljs has no API for names of a single
 * sheet.
 */
function nameFilters(
  { definedNames }: Pick<ExcelJS.Workbook, 'definedNames'>,
  workbook: WorkbookToWrite
): void {
  const model = workbook.sheets.map(({ table: { name, columns } }, at) => ({
    name: '_xlnm._FilterDatabase',
    // The instructions come first.
    localSheetId: at + 1,
    ranges: [`${name[workbook.language]}!$A$1:$${columnLetters(columns.length)}$1`]
  }))
  Object.defineProperty(definedNames, 'model', { value: model })
}

/** Adds the headers, with a star if required and a comment that says what to fill in. */
function addHeaders(sheet: Sheet, columns: readonly Column[], language: Language): void {
  const row = sheet.getRow(1)
  row.font = { bold: true }
  for (const [at, { header, comment, isRequired }] of columns.entries()) {
    const cell = row.getCell(at + 1)
    cell.value = isRequired ? `${header[language]} *` : header[language]
    cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: isRequired ? 'FFCFE2F3' : 'FFEEEEEE' } }
    if (comment) cell.note = comment[language]
  }
  row.commit()
  sheet.autoFilter = `A1:${columnLetters(columns.length)}1`
}

function addDropDown(
  sheet: Sheet,
  column: number,
  list: ListName,
  { language, lists, listRows }: WorkbookToWrite
): void {
  const entries = lists.options[list]
  if (entries.length === 0) return
  const letters = columnLetters(Object.keys(lists.options).indexOf(list) + 1)
  // exceljs accepts ranges here; its types do not.
  const { dataValidations } = sheet as unknown as {
    dataValidations: { add(range: string, validation: ExcelJS.DataValidation): void }
  }
  const target = columnLetters(column)
  dataValidations.add(`${target}2:${target}${listRows + 1}`, {
    type: 'list',
    allowBlank: true,
    showErrorMessage: isClosedList(list),
    formulae: [`${sheetNames.codes[language]}!$${letters}$2:$${letters}$${entries.length + 1}`]
  })
}

function addExample(sheet: Sheet, columns: readonly Column[], { language, lists }: WorkbookToWrite): void {
  const row = sheet.addRow(
    columns.map(({ key, list, example }) => {
      if (key === 'note') return exampleMark[language]
      const text = typeof example === 'string' ? example : example[language]
      return list ? lists.entryOf(list, text) : text
    })
  )
  row.font = { italic: true, color: { argb: 'FF777777' } }
  row.commit()
}

async function addRows(
  sheet: Sheet,
  columns: readonly Column[],
  rows: Iterable<Cells>,
  stream: PassThrough
): Promise<void> {
  let cells = 0
  for (const texts of rows) {
    addTextRow(
      sheet,
      columns.map(({ key }) => texts.get(key))
    )
    cells += columns.length
    if (cells < CELLS_PER_TURN) continue
    cells = 0
    await yieldToEventLoop()
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
}
