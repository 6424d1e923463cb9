import type { OmittedColumns } from '../../../catalogue/content/catalogue-content.js'
import { allItemFields, type ItemField } from '../../../catalogue/item/item.fields.js'
import { forEachYielding } from '../../../platform/concurrency/map-yielding.js'
import { inEachLanguage } from '../../../platform/errors/language.js'
import { addressOf } from '../../../xlsx/format/address.js'
import type { Cell, Row, Sheet } from '../../../xlsx/reading/cells.js'
import { exampleMark } from '../../sheets.texts.js'
import { type CellFault, faultAt, sheetFault } from '../cell-faults.js'
import { readCellText } from '../cell-text.js'
import type { SheetTable } from '../columns/columns.js'
import { type HeaderIndex, normalizeHeader } from './header-index.js'

/** A row of a sheet: the non-empty texts by column key. */
export interface SheetRow {
  number: number
  isHidden: boolean
  texts: ReadonlyMap<string, string>
  /** Column keys of cells that could not be read and already have a fault. */
  unreadable: ReadonlySet<string>
}

export interface ReadSheet {
  name: string
  rows: readonly SheetRow[]
  /** The columns that were found, by key. */
  columns: ReadonlyMap<string, { number: number; header: string }>
  /** The keys of required columns that are missing. */
  missing: ReadonlySet<string>
  /** Columns with unknown headers, which are not read. */
  ignored: readonly IgnoredColumn[]
  /** The members without a column. */
  omitted: OmittedColumns
  table: SheetTable
}

/** A column whose header is unknown. */
export interface IgnoredColumn {
  cell: string
  column: string
}

/** Number of rows at the top that are searched for headers. Titles may be above the headers. */
const HEADER_SEARCH_ROWS = 20

/**
 * Reads the rows of a sheet by its English or Danish headers, in any order. Columns with unknown
 * headers are ignored. A value in a column without a header is a fault.
 * @returns undefined if the sheet has no headers, which is a fault.
 */
export async function readSheet(
  sheet: Sheet,
  table: HeaderIndex,
  faults: CellFault[]
): Promise<ReadSheet | undefined> {
  const header = headerRow(sheet, table)
  if (!header) {
    const required = table.columns.filter((column) => column.isRequired)
    const headers = inEachLanguage((language) => required.map((column) => column.header[language]).join(', '))
    faults.push(sheetFault(sheet.name, 'no-headers', { headers }))
    return undefined
  }
  const { columns, missing, headed, ignored } = headersOf(sheet, table, header, faults)
  const byNumber = new Map([...columns].map(([key, { number, header }]) => [number, { key, header }]))
  if (sheet.beyond) faults.push({ ...sheetFault(sheet.name, 'too-many-columns'), cell: sheet.beyond })
  const rows: SheetRow[] = []
  await forEachYielding(sheet.rows, (row) => {
    const read = row.number > header.number && readRow(sheet, row, { byNumber, headed }, faults)
    if (read) rows.push(read)
  })
  return { name: sheet.name, rows, columns, missing, ignored, omitted: omittedFrom(columns), table }
}

function omittedFrom(columns: ReadSheet['columns']): OmittedColumns {
  const members = [...(Object.keys(allItemFields) as ItemField[]), 'status', 'relatedTo'] as const
  const numbers = [...columns.keys()].flatMap((key) => /^identifiers\/(\d+)\/value$/.exec(key)?.[1] ?? [])
  return {
    omitted: members.filter((member) => !columns.has(member === 'relatedTo' ? 'relatedTo/value' : member)),
    identifierColumnCount: Math.max(0, ...numbers.map((number) => Number(number) + 1))
  }
}

interface Columns {
  byNumber: ReadonlyMap<number, { key: string; header: string }>
  /** Numbers of columns with any header. */
  headed: ReadonlySet<number>
}

const none: ReadonlySet<string> = new Set()

/** Reads a row; undefined if it is an example or empty. */
function readRow(
  sheet: Sheet,
  row: Row,
  { byNumber, headed }: Columns,
  faults: CellFault[]
): SheetRow | undefined {
  const texts = new Map<string, string>()
  let unreadable = none
  const found: CellFault[] = []
  for (const cell of row.cells) {
    const column = byNumber.get(cell.column)
    const location = {
      sheet: sheet.name,
      row: row.number,
      column: cell.column,
      header: column?.header ?? null,
      found: cell.text
    }
    if (!column) {
      if (!headed.has(cell.column) && !isBlank(cell)) found.push(faultAt(location, 'value-without-header'))
      continue
    }
    const read = column.key === 'note' ? cell.text.trim() : readCellText(cell, location)
    if (typeof read !== 'string') {
      unreadable = new Set([...unreadable, column.key])
      found.push(read)
    } else if (read !== '') texts.set(column.key, read)
  }
  if (isExample(texts.get('note'))) return undefined
  texts.delete('note')
  faults.push(...found)
  return texts.size === 0 ? undefined : { number: row.number, isHidden: row.isHidden, texts, unreadable }
}

const isBlank = (cell: Cell) => cell.kind === 'text' && cell.text.trim() === ''

const isExample = (note: string | undefined) =>
  note !== undefined && Object.values(exampleMark).some((mark) => mark.toLowerCase() === note.toLowerCase())

/** The row near the top with the most known headers. */
function headerRow(sheet: Sheet, table: HeaderIndex): Row | undefined {
  let best: { row: Row; count: number } | undefined
  let seen = 0
  for (const row of sheet.rows) {
    if (++seen > HEADER_SEARCH_ROWS) break
    const count = row.cells.filter((cell) => table.keys.has(normalizeHeader(cell.text))).length
    if (count > (best?.count ?? 0)) best = { row, count }
  }
  return best?.row
}

function headersOf(sheet: Sheet, table: HeaderIndex, header: Row, faults: CellFault[]) {
  const columns = new Map<string, { number: number; header: string }>()
  const ignored: IgnoredColumn[] = []
  for (const { column: number, text } of header.cells) {
    const key = table.keys.get(normalizeHeader(text))
    if (key === undefined) {
      if (text.trim() !== '') ignored.push({ cell: addressOf(number, header.number), column: text.trim() })
      continue
    }
    const location = { sheet: sheet.name, row: header.number, column: number, header: text, found: text }
    const other = columns.get(key)
    if (other) {
      const first = addressOf(other.number, header.number)
      faults.push(faultAt(location, 'duplicate-header', { first }))
    } else columns.set(key, { number, header: text.trim() })
  }
  const missing = table.columns.filter((column) => column.isRequired && !columns.has(column.key))
  for (const { header } of missing)
    faults.push({ ...sheetFault(sheet.name, 'missing-column', header), column: header.en })
  const headed = new Set(header.cells.filter((cell) => !isBlank(cell)).map((cell) => cell.column))
  return { columns, missing: new Set(missing.map(({ key }) => key)), headed, ignored }
}
