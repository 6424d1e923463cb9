import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type ExcelJS from 'exceljs'
import { columnLetters } from '../../xlsx/address.js'
import { toCellText } from './cell-text.js'
import {
  type Column,
  codesSheet,
  exampleMark,
  type Language,
  type ListName,
  type SheetTable
} from './columns.js'
import type { DropdownLists } from './dropdown-lists.js'

/** A sheet to be written: its columns, and its rows as texts by the columns' keys. */
export interface WrittenSheet {
  table: SheetTable
  rows: Iterable<ReadonlyMap<string, string>>
  /** Whether a row shows what belongs there; it says so, and is skipped when it is read. */
  hasExample: boolean
}

export interface WrittenWorkbook {
  language: Language
  sheets: readonly WrittenSheet[]
  lists: DropdownLists
  /** Rows of a sheet for which there are drop-down lists. */
  listRows: number
}

/** The media type of .xlsx. */
export const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

type Sheet = ExcelJS.Worksheet
type Texts = ReadonlyMap<string, string>

/** Rows that are written before others get their turn. */
const rowsAtOnce = 25

/** Writes a workbook row by row, so that neither its size nor the time that it takes is felt by others. */
export function writeWorkbook(workbook: WrittenWorkbook): Readable {
  const stream = new PassThrough()
  write(workbook, stream).catch((error) => stream.destroy(error))
  return stream
}

async function write(workbook: WrittenWorkbook, stream: PassThrough): Promise<void> {
  const { language, lists } = workbook
  // Only where a workbook is written: to load it takes a quarter of a start.
  const { default: excel } = await import('exceljs')
  const book = new excel.stream.xlsx.WorkbookWriter({ stream, useStyles: true, useSharedStrings: false })
  for (const { table, rows, hasExample } of workbook.sheets) {
    const sheet = book.addWorksheet(table.name[language], { views: [{ state: 'frozen', ySplit: 1 }] })
    // As text, so that Excel leaves 00123 as it was typed.
    sheet.columns = table.columns.map(({ width }) => ({ width, style: { numFmt: '@' } }))
    addHeaders(sheet, table.columns, language)
    for (const [at, { list }] of table.columns.entries()) if (list) addDropDown(sheet, at + 1, list, workbook)
    if (hasExample) addExample(sheet, table.columns, language)
    await addRows(sheet, table.columns, rows, stream)
    sheet.commit()
  }
  addCodes(book.addWorksheet(codesSheet[language]), lists, language)
  nameFilters(book, workbook)
  await book.commit()
}

/** Without such a name LibreOffice does not find the filter of a sheet; exceljs knows no names of one sheet alone. */
function nameFilters(
  { definedNames }: Pick<ExcelJS.Workbook, 'definedNames'>,
  workbook: WrittenWorkbook
): void {
  const model = workbook.sheets.map(({ table: { name, columns } }, localSheetId) => ({
    name: '_xlnm._FilterDatabase',
    localSheetId,
    ranges: [`${name[workbook.language]}!$A$1:$${columnLetters(columns.length)}$1`]
  }))
  Object.defineProperty(definedNames, 'model', { value: model })
}

/** A star stands at the headers of what must be filled in; a comment says what belongs there. */
function addHeaders(sheet: Sheet, columns: readonly Column[], language: Language): void {
  const row = sheet.getRow(1)
  row.font = { bold: true }
  for (const [at, { header, about, isRequired }] of columns.entries()) {
    const cell = row.getCell(at + 1)
    cell.value = isRequired ? `${header[language]} *` : header[language]
    cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: isRequired ? 'FFCFE2F3' : 'FFEEEEEE' } }
    cell.note = about[language]
  }
  row.commit()
  sheet.autoFilter = `A1:${columnLetters(columns.length)}1`
}

function addDropDown(
  sheet: Sheet,
  column: number,
  list: ListName,
  { language, lists, listRows }: WrittenWorkbook
): void {
  const entries = lists.drop[list]
  if (entries.length === 0) return
  const letters = columnLetters(Object.keys(lists.drop).indexOf(list) + 1)
  // exceljs knows ranges here, and its types do not.
  const { dataValidations } = sheet as unknown as {
    dataValidations: { add(range: string, validation: ExcelJS.DataValidation): void }
  }
  const here = columnLetters(column)
  dataValidations.add(`${here}2:${here}${listRows + 1}`, {
    type: 'list',
    allowBlank: true,
    showErrorMessage: !lists.open.has(list),
    formulae: [`${codesSheet[language]}!$${letters}$2:$${letters}$${entries.length + 1}`]
  })
}

function addExample(sheet: Sheet, columns: readonly Column[], language: Language): void {
  const row = sheet.addRow(
    columns.map(({ key, example }) => (key === 'note' ? exampleMark[language] : example))
  )
  row.font = { italic: true, color: { argb: 'FF777777' } }
  row.commit()
}

async function addRows(
  sheet: Sheet,
  columns: readonly Column[],
  rows: Iterable<Texts>,
  stream: PassThrough
): Promise<void> {
  let count = 0
  for (const texts of rows) {
    addTexts(
      sheet,
      columns.map(({ key }) => texts.get(key))
    )
    if (++count % rowsAtOnce !== 0) continue
    await turn()
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
}

const addTexts = (sheet: Sheet, texts: readonly (string | undefined)[]): void =>
  sheet.addRow(texts.map((text) => (text === undefined ? undefined : toCellText(text)))).commit()

const codesHeaders: Readonly<Record<ListName, Record<Language, string>>> = {
  'catalogue-status': { en: 'Catalogue status', da: 'Katalogstatus' },
  'catalogue-item-status': { en: 'Item status', da: 'Varestatus' },
  'service-type': { en: 'Service type', da: 'Ydelsestype' },
  seller: { en: 'Seller', da: 'Leverandør' },
  buyer: { en: 'Buyer', da: 'Køber' },
  'annotation-name': { en: 'Annotation', da: 'Annotering' },
  'annotation-value': { en: 'Value', da: 'Værdi' }
}
const fullHeaders: Readonly<Record<Language, readonly string[]>> = {
  en: ['Values of an annotation', 'Value', 'system|code'],
  da: ['Værdier af en annotering', 'Værdi', 'system|kode']
}

/** The sheet of codes: a column for each list, then which values an annotation has. */
function addCodes(sheet: Sheet, { drop, values }: DropdownLists, language: Language): void {
  const lists = Object.values(drop)
  const gap = lists.length + 1
  sheet.columns = Array.from({ length: gap + 3 }, () => ({ width: 26, style: { numFmt: '@' } }))
  const headers = sheet.getRow(1)
  headers.font = { bold: true }
  headers.values = [
    ...(Object.keys(drop) as ListName[]).map((list) => codesHeaders[list][language]),
    '',
    ...(values.length > 0 ? fullHeaders[language] : [])
  ]
  headers.commit()
  const rows = Math.max(values.length, ...lists.map((entries) => entries.length))
  for (let at = 0; at < rows; at++) {
    const { name, shown, full } = values[at] ?? {}
    addTexts(sheet, [...lists.map((entries) => entries[at]), undefined, name, shown, full])
  }
  sheet.commit()
}
