/**
 * Limits on the cost of reading an uploaded workbook. No workbook that is filled in by hand reaches
 * them.
 */
export const defaultLimits = {
  /** Bytes of the uploaded file. */
  fileBytes: 10 * 2 ** 20,
  /** Bytes of all unpacked parts. The bytes are counted, because declared sizes are not trusted. */
  unpackedBytes: 256 * 2 ** 20,
  /** Number of parts in the archive. */
  parts: 5_000,
  sheets: 100,
  /** Non-empty rows of a sheet. */
  rows: 100_000,
  /** Number of columns that are read. Cells to the right of these columns are only reported. */
  columns: 200,
  /** Non-empty cells of all sheets. */
  cells: 1_000_000,
  /** Characters of one cell. Excel's own limit. */
  cellCharacters: 32_767,
  /** Characters of the values of all cells, and of all shared strings. */
  characters: 32 * 2 ** 20,
  /** Time limit for one task. */
  timeoutMs: 20_000,
  heapMegabytes: 384
}
export type WorkbookLimits = Readonly<typeof defaultLimits>
