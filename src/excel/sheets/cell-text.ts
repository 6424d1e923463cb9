import type ExcelJS from 'exceljs'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { escapeText } from '../../xlsx/format/rich-text.js'
import type { Cell } from '../../xlsx/reading/cells.js'

type CellTextFault =
  | 'date-for-text'
  | 'boolean-for-text'
  | 'number-for-text'
  | 'error-value'
  | 'formula-without-result'

/** The text of a cell, or a fault if the intended text is not certain. */
export type CellTextResult = { text: string } | { fault: CellTextFault }

/** Escapes a text for a cell, so that a literal `_x000D_` is not read as an escaped character. */
const escapeForCell = (text: string): string => escapeText(withoutControlCharacters(text))

/** Appends a row of texts and flushes it. */
export const addTextRow = (sheet: ExcelJS.Worksheet, texts: readonly (string | undefined)[]): void =>
  sheet.addRow(texts.map((text) => (text === undefined ? undefined : escapeForCell(text)))).commit()

/** Significant digits of a number in Excel. */
const MAX_DIGITS = 15

/**
 * Reads a cell of a text column. A number reads as its digits, padded with zeros if its format is.
 * If the shown digits may differ from the typed ones it is a fault, never a guess.
 */
export function readCellText(cell: Cell): CellTextResult {
  switch (cell.kind) {
    case 'text':
      return { text: withoutControlCharacters(cell.text) }
    case 'number':
      return numberText(cell.text, cell.value)
    case 'date':
      return { fault: 'date-for-text' }
    case 'boolean':
      return { fault: 'boolean-for-text' }
    case 'error':
      return { fault: 'error-value' }
    case 'formula':
      return { fault: 'formula-without-result' }
  }
}

function numberText(text: string, value: number): CellTextResult {
  const isPlain = /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= MAX_DIGITS
  return isPlain && Number(text) === value ? { text } : { fault: 'number-for-text' }
}
