/** What a cell holds, but for empty ones, which are left out. */
export type Content =
  | { kind: 'text'; text: string }
  /** `text` is what is shown where the format consists of zeros: "00123"; otherwise the number's digits. */
  | { kind: 'number'; text: string; value: number }
  | { kind: 'boolean'; text: 'TRUE' | 'FALSE'; value: boolean }
  /** As 2026-11-21, 2026-11-21T10:15:00 or 10:15:00. */
  | { kind: 'date'; text: string }
  /** Such as #N/A. */
  | { kind: 'error'; text: string }
  /** A formula whose result was not saved; `text` is the formula, empty where it is shared with another cell. */
  | { kind: 'formula'; text: string }

/** A cell that holds something. Where it has a formula, this is the formula's saved result. */
export type Cell = Content & {
  /** From 1. */
  column: number
  fromFormula: boolean
}

/** A row that holds something. */
export interface Row {
  /** From 1, as it stands beside the row. */
  number: number
  /** From left to right. */
  cells: Cell[]
}

export interface Sheet {
  name: string
  isHidden: boolean
  /** The first cell, such as GS5, that holds something to the right of the columns that are read. */
  beyond: string | undefined
  /** The rows that hold something, from top to bottom. */
  rows: Row[]
}

/** Sheets in the order of their tabs. */
export interface Workbook {
  sheets: readonly Sheet[]
}
