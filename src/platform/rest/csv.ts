import type { FastifyRequest } from 'fastify'
import { acceptedRanges } from '../util/accepted-ranges.js'

export const CSV_MEDIA_TYPE = 'text/csv'

/** Whether the client prefers CSV to JSON. It gets JSON for any other type. */
export const prefersCsv = ({ headers }: FastifyRequest): boolean =>
  acceptedRanges(headers.accept).find(
    (range) => range === CSV_MEDIA_TYPE || ['application/json', 'application/*', '*/*'].includes(range)
  ) === CSV_MEDIA_TYPE

/** Makes Excel read the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** A table as CSV (RFC 4180), in UTF-8, with the names of its columns. */
export const csvTable = (columns: readonly string[], rows: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(BYTE_ORDER_MARK), csvRow(columns), ...rows])

/** A row of {@link csvTable}. */
export const csvRow = (cells: readonly (string | null | undefined)[]): Buffer =>
  Buffer.from(`${cells.map((cell) => cellOf(cell ?? '')).join(',')}\r\n`)

/** A spreadsheet would take such a text for a formula. The apostrophe makes it a text. */
const FORMULA = /^[=+\-@\t\r]/

function cellOf(text: string): string {
  const guarded = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
