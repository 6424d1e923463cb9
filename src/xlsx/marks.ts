/** A fault of a workbook, in the words that the marked workbook shows. */
export interface Mark {
  /** The sheet's name. */
  sheet: string
  /** Such as C7; null for a fault of the whole sheet. */
  cell: string | null
  /** The header of the cell's column; null where there is none. */
  column: string | null
  /** What the cell holds; null where it is empty. */
  found: string | null
  message: string
}

/** The faults of a workbook, and the words of the sheet that lists them. */
export interface FaultList {
  /** The name of that sheet. */
  name: string
  /** The names that it can have in a workbook that was marked before: such sheets are left out. */
  names: readonly string[]
  /** Over the sheet, the cell, its column, what was found, and the message. */
  headers: readonly string[]
  /** Stands for the cell of a fault of a whole sheet. */
  wholeSheet: string
  /** Says how many faults there are, where not all of them are listed. */
  more: string | undefined
  marks: readonly Mark[]
}
