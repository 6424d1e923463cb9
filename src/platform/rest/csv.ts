import type { FastifyRequest } from 'fastify'
import { acceptedRanges } from '../headers/negotiation.js'

export const CSV_MEDIA_TYPE = 'text/csv'

/** Whether the client prefers CSV to JSON. For any other type the client gets JSON. */
export const prefersCsv = ({ headers }: FastifyRequest): boolean =>
  acceptedRanges(headers.accept).find(
    (range) => range === CSV_MEDIA_TYPE || ['application/json', 'application/*', '*/*'].includes(range)
  ) === CSV_MEDIA_TYPE

/** Makes Excel read the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** A table as CSV (RFC 4180), in UTF-8, with the names of its columns. */
export const csvTable = (columns: readonly string[], rows: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(BYTE_ORDER_MARK), csvRow(columns), ...rows])

export const csvRow = (cells: readonly (string | null | undefined)[]): Buffer =>
  Buffer.from(`${cells.map((cell) => cellOf(cell ?? '')).join(',')}\r\n`)

/**
 * The possible starts of a formula: the start of a cell and, for spreadsheets that expect
 * semicolons or tabs, the text after these separators, also within quotes.
 */
const FORMULA = /^(?=[=+\-@\t\r])|(?<=[;\t\r\n])(?="*[=+\-@])/g

function cellOf(text: string): string {
  // An apostrophe makes a text of the formula.
  const guarded = text.replace(FORMULA, "'")
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
