import type ExcelJS from 'exceljs'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { escapeText } from '../../xlsx/format/rich-text.js'
import type { Cell } from '../../xlsx/reading/cells.js'
import { type CellFault, type CellLocation, faultAt } from './cell-faults.js'

/** Escapes a text for a cell, so that a literal `_x000D_` is not read as an escaped character. */
const escapeForCell = (text: string): string => escapeText(withoutControlCharacters(text))

/** Appends a row of texts and flushes it. */
export const addTextRow = (sheet: ExcelJS.Worksheet, texts: readonly (string | undefined)[]): void =>
  sheet.addRow(texts.map((text) => (text === undefined ? undefined : escapeForCell(text)))).commit()

/** Significant digits of a number in Excel. */
const MAX_DIGITS = 15

/**
 * The text of a cell of a text column, or a fault. A number reads as its digits, with the leading
 * zeros of its format. If the cell may show another text than the intended one, the result is a
 * fault instead of a guess.
 */
export function readCellText(cell: Cell, at: CellLocation): string | CellFault {
  switch (cell.kind) {
    case 'text':
      return withoutControlCharacters(cell.text)
    case 'number':
      return hasAllDigits(cell.text, cell.value) ? cell.text : faultAt(at, 'number-for-text')
    case 'formatted':
      return faultAt(at, 'number-for-text.formatted', { value: cell.value })
    case 'date':
      return faultAt(at, 'date-for-text')
    case 'boolean':
      return faultAt(at, 'boolean-for-text')
    case 'error':
      return faultAt(at, 'error-value')
    case 'formula':
      return faultAt(at, 'formula-without-result')
  }
}

const hasAllDigits = (text: string, value: number): boolean =>
  /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= MAX_DIGITS && Number(text) === value
