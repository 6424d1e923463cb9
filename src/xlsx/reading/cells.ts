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

/** The content of a cell as a file stores it: a shared text by its index. */
export type StoredContent = Content | { kind: 'shared'; shared: number }

interface Position {
  /** From 1. */
  column: number
  fromFormula: boolean
}

/** A non-empty cell. For a formula, the content is its saved result. */
export type Cell = Content & Position
export type StoredCell = StoredContent & Position

/** A non-empty row. */
export interface Row<C = Cell> {
  /** From 1. */
  number: number
  /** From left to right. */
  cells: C[]
}
export type StoredRow = Row<StoredCell>

export interface Sheet<C = Cell> {
  name: string
  isHidden: boolean
  /** Address of the first non-empty cell beyond the columns that are read. */
  beyond: string | undefined
  /** From top to bottom. */
  rows: Row<C>[]
}

export interface Workbook {
  /** In tab order. */
  sheets: readonly Sheet[]
}

/** A workbook in which each shared text stands once: many cells may share a long one. */
export interface StoredWorkbook {
  texts: readonly string[]
  sheets: Sheet<StoredCell>[]
}

/** A row with the shared texts in its cells. */
export const withTexts = ({ number, cells }: StoredRow, texts: readonly string[]): Row => ({
  number,
  cells: cells.map((cell): Cell => {
    if (cell.kind !== 'shared') return cell
    const { shared, column, fromFormula } = cell
    return { kind: 'text', text: texts[shared] ?? '', column, fromFormula }
  })
})
