import type { FastifyRequest } from 'fastify'
import { acceptedRanges } from '../headers/negotiation.js'

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

export const csvRow = (cells: readonly (string | null | undefined)[]): Buffer =>
  Buffer.from(`${cells.map((cell) => cellOf(cell ?? '')).join(',')}\r\n`)

/**
 * Where a formula may begin: at the start of a cell, and after what separates cells where a
 * spreadsheet expects semicolons or tabs, also within quotes.
 */
const FORMULA = /^(?=[=+\-@\t\r])|(?<=[;\t\r\n])(?="*[=+\-@])/g

function cellOf(text: string): string {
  // An apostrophe makes a text of the formula.
  const guarded = text.replace(FORMULA, "'")
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
