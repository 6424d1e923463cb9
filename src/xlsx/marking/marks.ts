/** A fault (something wrong at a cell or a sheet) as the marked workbook shows it. */
export interface Mark {
  /** Name of the sheet. */
  sheet: string
  /** Address such as C7; null for a fault of the whole sheet. */
  cell: string | null
  /** Header of the column; null if there is none. */
  column: string | null
  /** Text of the cell; null if it is empty. */
  found: string | null
  message: string
}

/** The faults of a workbook and the texts of the sheet that lists them. */
export interface FaultList {
  /** Name of that sheet. */
  name: string
  /**
   * Its names in every language. Sheets with such a name, from an earlier marking, are left out.
   */
  names: readonly string[]
  /** Headers for sheet, cell, column, found and message. */
  headers: readonly string[]
  /** Shown instead of a cell for a fault of a whole sheet. */
  wholeSheet: string
  /** States the total if not all faults are listed. */
  more: string | undefined
  marks: readonly Mark[]
}
