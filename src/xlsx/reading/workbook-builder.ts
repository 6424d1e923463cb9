import type { SheetEntry } from '../format/workbook-part.js'
import type { Sheet, Workbook } from './cells.js'
import { decodeRow, type EncodedRow } from './row-encoding.js'

/** Receives the parts of a workbook while it is read. */
export interface WorkbookListener {
  /** Called first. */
  sheets(sheets: Pick<SheetEntry, 'name' | 'isHidden'>[]): void
  /** The next shared strings. All of them arrive before any row. */
  texts(texts: string[]): void | Promise<void>
  /** The next rows of a sheet. */
  rows(sheet: number, rows: EncodedRow[]): void | Promise<void>
  /** The first cell of a sheet beyond the columns that are read. */
  beyond(sheet: number, address: string): void
}

/** Builds a workbook from its parts. */
export function createWorkbookBuilder(): WorkbookListener & { workbook(): Workbook } {
  let sheets: Sheet[] = []
  const texts: string[] = []
  return {
    sheets(entries) {
      sheets = entries.map(({ name, isHidden }) => ({ name, isHidden, beyond: undefined, rows: [] }))
    },
    texts(some) {
      for (const text of some) texts.push(text)
    },
    rows(sheet, rows) {
      for (const row of rows) sheets[sheet]?.rows.push(decodeRow(row, texts))
    },
    beyond(sheet, address) {
      const found = sheets[sheet]
      if (found) found.beyond = address
    },
    workbook: () => ({ sheets })
  }
}
