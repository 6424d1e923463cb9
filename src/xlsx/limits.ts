/** What reading a workbook that somebody has sent may cost at most. */
export interface WorkbookLimits {
  /** Bytes of the file as it is sent. */
  fileBytes: number
  /** Bytes of the file's parts when they are unpacked, however small they say they are. */
  unpackedBytes: number
  /** Parts of the file. */
  parts: number
  sheets: number
  /** Rows of a sheet that hold something; empty ones cost nothing. */
  rows: number
  /** Columns that are read; what lies to the right of them is told of, not read. */
  columns: number
  /** Cells of all sheets that hold something. */
  cells: number
  /** Characters of one cell. */
  cellCharacters: number
  /** Characters of the values of all cells; a text that cells share counts once. */
  characters: number
  /** Milliseconds that the work may take. */
  milliseconds: number
  /** Megabytes of heap that the process that does the work may have. */
  heapMegabytes: number
}

/** Limits that a workbook which people have filled in does not reach. */
export const usualLimits: WorkbookLimits = {
  fileBytes: 10 * 2 ** 20,
  unpackedBytes: 256 * 2 ** 20,
  parts: 5_000,
  sheets: 100,
  rows: 100_000,
  columns: 200,
  cells: 1_000_000,
  // Excel keeps no more than these in a cell.
  cellCharacters: 32_767,
  characters: 32 * 2 ** 20,
  milliseconds: 20_000,
  heapMegabytes: 384
}
