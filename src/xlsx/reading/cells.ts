import { convert1904Serial, type NumberFormat, parseIsoDate, showNumber } from '../format/number-format.js'
import { unescapeText } from '../format/rich-text.js'
import type { RawCell } from '../format/sheet-part.js'

/** The content of a non-empty cell. */
export type CellContent =
  | { kind: 'text'; text: string }
  /** `text` has the digits, padded if the format consists only of zeros ("00123"). */
  | { kind: 'number'; text: string; value: number; format: string }
  /** A date, or a number with another format. `text` is the displayed text. */
  | { kind: 'date' | 'formatted'; text: string; value: number; format: string }
  | { kind: 'boolean'; text: 'TRUE' | 'FALSE'; value: boolean }
  /** Such as #N/A. */
  | { kind: 'error'; text: string }
  /**
   * A formula without a saved result. `text` is the formula, empty if it is shared with another
   * cell.
   */
  | { kind: 'formula'; text: string }

/** A non-empty cell. For a formula, the content is its saved result. */
export type Cell = CellContent & {
  /** From 1. */
  column: number
}

/** A non-empty row. */
export interface Row {
  /** From 1. */
  number: number
  /** Hidden by the user, a filter or a folded group. */
  isHidden: boolean
  /** From left to right. */
  cells: Cell[]
}

export interface Sheet {
  name: string
  isHidden: boolean
  /** Address of the first non-empty cell beyond the columns that are read. */
  beyond: string | undefined
  /** From top to bottom. */
  rows: Row[]
}

export interface Workbook {
  /** In tab order. */
  sheets: readonly Sheet[]
}

/** The inputs for the interpretation of a cell. */
export interface CellContext {
  sharedStrings: readonly string[]
  styles: readonly NumberFormat[]
  is1904: boolean
}

const number = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/
/** The longest error value of Excel is #GETTING_DATA. */
const MAX_ERROR_CHARACTERS = 32

/**
 * Interprets a cell by its type (ECMA-376 part 1, 18.18.11).
 * @returns undefined if it is empty, null if it is invalid.
 */
export function contentOf(cell: RawCell, context: CellContext): CellContent | undefined | null {
  const { type, formula, value } = cell
  // Only a text result of a formula may be empty.
  if (formula !== undefined && (value === undefined || (value === '' && type !== 'str')))
    return { kind: 'formula', text: unescapeText(formula) }
  if (type === 'inlineStr') return text(cell.inline ?? '')
  if (value === undefined || value === '') return undefined
  if (type === 'n') return numberContent(value, cell.style, context)
  return Object.hasOwn(byType, type) ? byType[type]?.(value, context) : null
}

const text = (text: string): CellContent | undefined => (text === '' ? undefined : { kind: 'text', text })

const byType: Record<string, (value: string, context: CellContext) => CellContent | undefined | null> = {
  s: (value, { sharedStrings }) => {
    const found = /^\d{1,9}$/.test(value) ? sharedStrings[Number(value)] : undefined
    return found === undefined ? null : text(found)
  },
  str: (value) => text(unescapeText(value)),
  b: (value) =>
    value === '1' || value === 'true'
      ? { kind: 'boolean', value: true, text: 'TRUE' }
      : { kind: 'boolean', value: false, text: 'FALSE' },
  e: (value) => ({ kind: 'error', text: value.slice(0, MAX_ERROR_CHARACTERS) }),
  d: (value) => {
    const serial = parseIsoDate(value)
    return serial === undefined ? text(value) : shown(serial, isoDate)
  }
}

const isoDate: NumberFormat = { code: 'yyyy-mm-dd hh:mm:ss', isDate: true }

function numberContent(
  value: string,
  style: string | undefined,
  { styles, is1904 }: CellContext
): CellContent | null {
  const serial = Number(value)
  if (!number.test(value) || !Number.isFinite(serial)) return null
  // A missing style has no effect.
  const format = styles[Number(style ?? 0)]
  return shown(format?.isDate && is1904 ? convert1904Serial(serial) : serial, format)
}

const shown = (value: number, format: NumberFormat | undefined): CellContent =>
  Object.assign(showNumber(value, format), { value, format: format?.code ?? 'General' })
