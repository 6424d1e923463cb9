import { inEachLanguage } from '../../../platform/errors/language.js'
import { inputLimits } from '../../../platform/json/input-limits.js'
import { exceedsNormalizedLength } from '../../../platform/text/search-text.js'
import type { LocalValueSet } from '../../../terminology/local-value-sets.js'
import type { Terminology } from '../../../terminology/terminology.js'
import {
  type CellFault,
  type CellLocation,
  type FaultName,
  type FaultValues,
  faultAt
} from '../cell-faults.js'
import { formatCodes, parseCode } from '../code-labels.js'
import type { ReadSheet, SheetRow } from './sheet-rows.js'

/** The inputs for reading rows, and the collected faults. */
export interface RowContext {
  terminology: Terminology
  faults: CellFault[]
  /** The system of identifiers without a system: that of the catalogue's first identifier. */
  defaultSystem?: string | undefined
}

export interface LocatedRow {
  sheet: ReadSheet
  row: SheetRow
}

/**
 * The cell of a member, or of its value if it has several cells; the first cell of the row if it
 * has no column.
 */
export function locateCell({ sheet, row }: LocatedRow, member: string): CellLocation {
  const key = [member, `${member}/value`].find((each) => sheet.columns.has(each)) ?? member
  const column = sheet.columns.get(key)
  return {
    sheet: sheet.name,
    row: row.number,
    column: column?.number ?? 1,
    header: column?.header ?? null,
    found: row.texts.get(key) ?? null
  }
}

/** The text of a cell, or null. A text that is too long is a fault. */
export function readText(
  context: RowContext,
  located: LocatedRow,
  key: string,
  maxCharacters = inputLimits.text
): string | null {
  const text = located.row.texts.get(key) ?? null
  // Counts code points, like the API: 💓 is one code point.
  const isTooLong = text !== null && text.length > maxCharacters && [...text].length > maxCharacters
  if (isTooLong || (text !== null && exceedsNormalizedLength(maxCharacters, text)))
    addFault(context, located, key, 'text-too-long', { max: maxCharacters })
  return text
}

/** The text of a cell. An empty cell is a fault. */
export function readRequired(
  context: RowContext,
  located: LocatedRow,
  key: string,
  maxCharacters = inputLimits.text
): string | undefined {
  const found = readText(context, located, key, maxCharacters) ?? undefined
  // A missing column is one fault, not one per row.
  if (found === undefined && located.sheet.columns.has(key)) addFault(context, located, key, 'text-required')
  return found
}

/** Adds a fault, unless the cell is unreadable and already has one. */
export function addFault<N extends FaultName>(
  { faults }: RowContext,
  located: LocatedRow,
  key: string,
  name: N,
  ...values: FaultValues<N>
): void {
  if (!located.row.unreadable.has(key)) faults.push(faultAt(locateCell(located, key), name, ...values))
}

/**
 * The code for the text of a cell. An unknown code is a fault.
 * @param read {@link readRequired} if an empty cell is a fault.
 */
export function readCode(
  context: RowContext,
  located: LocatedRow,
  key: string,
  set: LocalValueSet,
  read: typeof readText | typeof readRequired = readText
): string | null {
  const found = read(context, located, key) ?? null
  if (found === null) return null
  const parsed = parseCode(context.terminology, set, found)
  if (parsed === undefined)
    addFault(context, located, key, 'unknown-coding', {
      codes: inEachLanguage((language) => formatCodes(context.terminology, set, language).join(', '))
    })
  return parsed ?? null
}
