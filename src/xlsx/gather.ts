import type { Sheet, Workbook } from './cells.js'
import { rowOf, type SentRow } from './sent-row.js'
import type { SheetEntry } from './workbook-part.js'

/** Receives a workbook while it is read. */
export interface Listener {
  /** Comes first. */
  sheets(sheets: Pick<SheetEntry, 'name' | 'isHidden'>[]): void
  /** The next texts that cells name by number; all of them come before any row. */
  texts(texts: string[]): void | Promise<void>
  /** The next rows of a sheet. */
  rows(sheet: number, rows: SentRow[]): void | Promise<void>
  /** The first cell of a sheet that lies to the right of the columns that are read. */
  beyond(sheet: number, address: string): void
}

/** Puts a workbook together from what is received of it. */
export function gatherer(): Listener & { workbook(): Workbook } {
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
      for (const row of rows) sheets[sheet]?.rows.push(rowOf(row, texts))
    },
    beyond(sheet, address) {
      const found = sheets[sheet]
      if (found) found.beyond = address
    },
    workbook: () => ({ sheets })
  }
}
