import type { Words } from '../../platform/errors/language.js'
import { withoutControlCharacters } from '../../platform/util/without-control-characters.js'
import { escapeText } from '../../xlsx/format/rich-text.js'
import type { Cell } from '../../xlsx/reading/cells.js'

/** The text of a cell, or a fault if the intended text is not certain. */
export type CellTextResult = { text: string } | { code: string; detail: Words }

/** Escapes a text for a cell, so that a literal `_x000D_` is not read as an escaped character. */
export const escapeForCell = (text: string): string => escapeText(withoutControlCharacters(text))

/** Significant digits of a number in Excel. */
const MAX_DIGITS = 15

const asText = {
  en: 'Format the cell as text and enter the value again.',
  da: 'Formatér cellen som tekst, og skriv værdien igen.'
}

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
      return {
        code: 'date-for-text',
        detail: {
          en: `The cell holds a date instead of a text. ${asText.en}`,
          da: `I cellen står en dato, hvor der skal stå tekst. ${asText.da}`
        }
      }
    case 'boolean':
      return {
        code: 'boolean-for-text',
        detail: {
          en: `The cell holds TRUE or FALSE instead of a text. ${asText.en}`,
          da: `I cellen står SAND eller FALSK, hvor der skal stå tekst. ${asText.da}`
        }
      }
    case 'error':
      return {
        code: 'error-value',
        detail: {
          en: 'The formula in the cell has no result. Replace it with the value.',
          da: 'Formlen i cellen har intet resultat. Skriv værdien i stedet for formlen.'
        }
      }
    case 'formula':
      return {
        code: 'formula-without-result',
        detail: {
          en: 'The result of the formula was not saved. Open the file in Excel or LibreOffice and save it again, or replace the formula with the value.',
          da: 'Formlens resultat er ikke gemt. Åbn filen i Excel eller LibreOffice, og gem den igen, eller skriv værdien i stedet for formlen.'
        }
      }
  }
}

function numberText(text: string, value: number): CellTextResult {
  const isPlain = /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= MAX_DIGITS
  return isPlain && Number(text) === value
    ? { text }
    : {
        code: 'number-for-text',
        detail: {
          en: `Excel does not keep all digits of this number. ${asText.en}`,
          da: `Excel husker ikke alle cifre i dette tal. ${asText.da}`
        }
      }
}
