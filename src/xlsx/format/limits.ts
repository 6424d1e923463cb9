/** Bounds on the cost of reading an uploaded workbook. */
export interface WorkbookLimits {
  /** Bytes of the uploaded file. */
  fileBytes: number
  /** Bytes of all unpacked parts. They are counted; declared sizes are not trusted. */
  unpackedBytes: number
  /** Number of parts in the archive. */
  parts: number
  sheets: number
  /** Non-empty rows of a sheet. */
  rows: number
  /** Columns that are read. Cells to the right of them are reported, not read. */
  columns: number
  /** Non-empty cells of all sheets. */
  cells: number
  /** Characters of one cell. */
  cellCharacters: number
  /** Characters of the values of all cells, and of all shared strings. */
  characters: number
  /** Time limit for one task. */
  timeoutMs: number
  /** Heap of the child process. */
  heapMegabytes: number
}

/** Limits that no workbook filled in by hand reaches. */
export const defaultLimits: WorkbookLimits = {
  fileBytes: 10 * 2 ** 20,
  unpackedBytes: 256 * 2 ** 20,
  parts: 5_000,
  sheets: 100,
  rows: 100_000,
  columns: 200,
  cells: 1_000_000,
  // Excel's own limit.
  cellCharacters: 32_767,
  characters: 32 * 2 ** 20,
  timeoutMs: 20_000,
  heapMegabytes: 384
}
