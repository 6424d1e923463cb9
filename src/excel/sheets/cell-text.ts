import { printableText } from '../../platform/util/printable-text.js'
import type { Cell } from '../../xlsx/cells.js'
import { escapeText } from '../../xlsx/rich-text.js'

/** The text of a cell, or why nobody can tell which text was meant. */
export type CellText = { text: string } | { code: string; detail: string }

/** A text as it is written into a cell: what stands for a character there (`_x000D_`) is not to be taken for one. */
export const toCellText = (text: string): string => escapeText(printableText(text))

/** Digits that Excel keeps of a number. */
const keptDigits = 15

const asText = 'Format the cell as text and type the value anew.'

/**
 * What a cell says in a column of text. A number counts by its digits, padded with zeros where its format does so; where the digits
 * that are seen may not be those that were typed, it is a fault, and never a guess.
 */
export function textOf(cell: Cell): CellText {
  switch (cell.kind) {
    case 'text':
      return { text: printableText(cell.text) }
    case 'number':
      return numberText(cell.text, cell.value)
    case 'date':
      return { code: 'date-for-text', detail: `The cell holds a date, where a text is needed. ${asText}` }
    case 'boolean':
      return {
        code: 'boolean-for-text',
        detail: `The cell holds TRUE or FALSE, where a text is needed. ${asText}`
      }
    case 'error':
      return {
        code: 'error-value',
        detail: 'The formula in the cell has no result. Put the value in its place.'
      }
    case 'formula':
      return {
        code: 'formula-without-result',
        detail:
          'The result of the formula was not saved. Open the file in Excel or LibreOffice and save it again, or put the value in its place.'
      }
  }
}

function numberText(text: string, value: number): CellText {
  const isPlain = /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= keptDigits
  return isPlain && Number(text) === value
    ? { text }
    : { code: 'number-for-text', detail: `A number of so many digits is not kept as it was typed. ${asText}` }
}
