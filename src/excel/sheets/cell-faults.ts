import {
  fillAny,
  type Language,
  type LocalizedText,
  type Placeholder,
  type PlaceholderValues
} from '../../platform/errors/language.js'
import type { FieldError } from '../../platform/errors/problem.js'
import { addressOf, parseAddress } from '../../xlsx/format/address.js'
import { workbookFaults } from '../faults.texts.js'

/**
 * A fault: an error of a cell, a row or a whole sheet, reported to the user who fills in the
 * workbook.
 */
export interface CellFault {
  sheet: string
  /** Address such as C7; null for a fault of the whole sheet. */
  cell: string | null
  /** Header of the column; null if there is none. */
  column: string | null
  code: string
  /** Text of the cell, shortened; null if it is empty. */
  found: string | null
  detail: LocalizedText
}

/** A fault in a response, with its text in the language of the request and in all languages. */
export type FaultInResponse = Omit<CellFault, 'detail'> & { detail: string; details: LocalizedText }

export const toResponse = ({ detail, ...fault }: CellFault, language: Language): FaultInResponse => ({
  ...fault,
  detail: detail[language],
  details: detail
})

/** A cell by row and column number, with its header and text. */
export interface CellLocation {
  sheet: string
  row: number
  column: number
  header: string | null
  found: string | null
}

const MAX_FOUND_CHARACTERS = 100

type Faults = typeof workbookFaults

/** The name of a fault: its code, or its code and the name of a detail. */
export type FaultName = keyof Faults

/** The values of the text of a fault, if it has placeholders. */
export type FaultValues<N extends FaultName> = [Placeholder<Faults[N]>] extends [never]
  ? []
  : [values: PlaceholderValues<Faults[N]>]

const faultText = <N extends FaultName>(name: N, [values]: FaultValues<N> | []) => ({
  code: name.replace(/\..*/, ''),
  detail: values ? fillAny(workbookFaults[name], values) : workbookFaults[name]
})

const faultOfCell = (
  { sheet, row, column, header, found }: CellLocation,
  { code, detail }: Pick<CellFault, 'code' | 'detail'>
): CellFault => ({
  sheet,
  cell: addressOf(column, row),
  column: header,
  code,
  found:
    found === null || found.length <= MAX_FOUND_CHARACTERS
      ? found
      : `${found.slice(0, MAX_FOUND_CHARACTERS).toWellFormed()}…`,
  detail
})

export const faultAt = <N extends FaultName>(
  location: CellLocation,
  name: N,
  ...values: FaultValues<N>
): CellFault => faultOfCell(location, faultText(name, values))

export function sheetFault<N extends FaultName>(
  sheet: string,
  name: N,
  ...values: FaultValues<N>
): CellFault {
  const { code, detail } = faultText(name, values)
  return { sheet, cell: null, column: null, code, found: null, detail }
}

/**
 * Finds the cell for a pointer into the content; undefined for a missing column, which is already a
 * fault.
 */
export type LocateCell = (pointer: string) => CellLocation | undefined

/** Converts errors of the content to faults at the cells from which it was read. */
export const locateFaults = (errors: readonly FieldError[], locate: LocateCell): CellFault[] =>
  errors.flatMap((error) => {
    const location = locate(error.pointer)
    return location ? [faultOfCell(location, error)] : []
  })

/** Sorts faults by sheet, row and column, with faults of a whole sheet first. */
export function inReadingOrder(
  faults: readonly CellFault[],
  sheets: readonly { name: string }[]
): CellFault[] {
  const numbers = new Map(sheets.map(({ name }, at) => [name, at]))
  return faults
    .map((fault) => ({ fault, sheet: numbers.get(fault.sheet) ?? -1, ...rowAndColumnOf(fault) }))
    .sort((one, other) => one.sheet - other.sheet || one.row - other.row || one.column - other.column)
    .map(({ fault }) => fault)
}

const rowAndColumnOf = ({ cell }: CellFault) =>
  (cell === null ? undefined : parseAddress(cell)) ?? { row: 0, column: 0 }
