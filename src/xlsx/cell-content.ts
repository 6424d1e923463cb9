import type { Content } from './cells.js'
import { type NumberLook, shown } from './number-format.js'
import { unescaped } from './rich-text.js'
import { canBeDate, dateText, from1904, serialOf } from './serial-date.js'
import type { RawCell } from './sheet-part.js'

/** What cells of all sheets need to be understood. */
export interface Surroundings {
  sharedStrings: readonly string[]
  styles: readonly NumberLook[]
  is1904: boolean
}

/** What a cell holds; a text that cells share goes by its number. */
export type CellContent = Content | { kind: 'shared'; shared: number }

const number = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/
/** Excel has seven errors, the longest of which is #GETTING_DATA. */
const longestError = 32

/**
 * Understands a cell by its type (ECMA-376 part 1, 18.18.11).
 * @returns undefined where it is empty, null where it cannot be understood
 */
export function contentOf(cell: RawCell, around: Surroundings): CellContent | undefined | null {
  const { type, formula, value } = cell
  // A text that a formula makes may be empty; every other result has characters.
  if (formula !== undefined && (value === undefined || (value === '' && type !== 'str')))
    return { kind: 'formula', text: unescaped(formula) }
  if (type === 'inlineStr') return text(cell.inline ?? '')
  if (value === undefined || value === '') return undefined
  if (type === 'n') return numberContent(value, cell.style, around)
  return Object.hasOwn(byType, type) ? byType[type]?.(value, around) : null
}

const text = (text: string): CellContent | undefined => (text === '' ? undefined : { kind: 'text', text })

const byType: Record<string, (value: string, around: Surroundings) => CellContent | undefined | null> = {
  s: shared,
  str: (value) => text(unescaped(value)),
  b: (value) =>
    value === '1' || value === 'true'
      ? { kind: 'boolean', value: true, text: 'TRUE' }
      : { kind: 'boolean', value: false, text: 'FALSE' },
  e: (value) => ({ kind: 'error', text: value.slice(0, longestError) }),
  d: (value) => {
    const serial = serialOf(value)
    return serial === undefined ? text(value) : { kind: 'date', text: dateText(serial) }
  }
}

function shared(value: string, { sharedStrings }: Surroundings): CellContent | undefined | null {
  const at = /^\d{1,9}$/.test(value) ? Number(value) : -1
  const found = sharedStrings[at]
  if (found === undefined) return null
  return found === '' ? undefined : { kind: 'shared', shared: at }
}

function numberContent(
  value: string,
  style: string | undefined,
  { styles, is1904 }: Surroundings
): CellContent | null {
  const serial = Number(value)
  if (!number.test(value) || !Number.isFinite(serial)) return null
  // A style that does not exist changes nothing.
  const look = styles[Number(style ?? 0)]
  if (look?.isDate && canBeDate(serial))
    return { kind: 'date', text: dateText(is1904 ? from1904(serial) : serial) }
  return { kind: 'number', value: serial, text: shown(serial, look?.digits ?? 0) }
}
