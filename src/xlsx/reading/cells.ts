/** The content of a non-empty cell. */
export type Content =
  | { kind: 'text'; text: string }
  /**
   * `text` is padded if the format consists only of zeros ("00123"); otherwise the plain digits.
   */
  | { kind: 'number'; text: string; value: number }
  | { kind: 'boolean'; text: 'TRUE' | 'FALSE'; value: boolean }
  /** 2026-11-21, 2026-11-21T10:15:00 or 10:15:00. */
  | { kind: 'date'; text: string }
  /** Such as #N/A. */
  | { kind: 'error'; text: string }
  /**
   * A formula without a saved result. `text` is the formula, empty if it is shared with another
   * cell.
   */
  | { kind: 'formula'; text: string }

/** A non-empty cell. For a formula, the content is its saved result. */
export type Cell = Content & {
  /** From 1. */
  column: number
  fromFormula: boolean
}

/** A non-empty row. */
export interface Row {
  /** From 1. */
  number: number
  /** From left to right. */
  cells: Cell[]
}

export interface Sheet {
  name: string
  isHidden: boolean
  /** Address of the first non-empty cell beyond the columns that are read. */
  beyond: string | undefined
  /** From top to bottom. */
  rows: Row[]
}

export interface Workbook {
  /** In tab order. */
  sheets: readonly Sheet[]
}
