import type ExcelJS from 'exceljs'
import { escapeText } from '../format/rich-text.js'
import type { Cell } from '../reading/cells.js'

/** Writes the value of a cell and keeps its type. */
export function writeCellValue(target: ExcelJS.Cell, cell: Cell): void {
  target.value = valueFor(cell)
  const format = formatFor(cell)
  if (format !== undefined) target.numFmt = format
}

function valueFor(cell: Cell): ExcelJS.CellValue {
  const { kind, text } = cell
  if (kind === 'number' || kind === 'boolean') return cell.value
  if (kind === 'error') return { error: text as ExcelJS.CellErrorValue['error'] }
  // Formulas are never written. Their text, or an empty cell, would be read as the value when the
  // workbook returns.
  if (kind === 'formula') return { error: '#N/A' }
  if (kind === 'text') return escapeText(text)
  if (isTime(text)) return new Date(`1899-12-30T${text}Z`)
  return new Date(text.includes('T') ? `${text}Z` : text)
}

/**
 * The format that keeps a text a text when edited, the leading zeros of a number, and a date a
 * date.
 */
function formatFor({ kind, text }: Cell): string | undefined {
  if (kind === 'text') return '@'
  if (kind === 'number' && /^-?0\d+$/.test(text)) return '0'.repeat(text.replace('-', '').length)
  if (kind !== 'date') return undefined
  return isTime(text) ? 'hh:mm:ss' : text.includes('T') ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd'
}

const isTime = (date: string) => !date.includes('-')
