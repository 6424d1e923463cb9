import type { FieldError } from '../../platform/errors/problem.js'
import { addressOf, parseAddress } from '../../xlsx/address.js'

/** What is wrong with a cell of a workbook, or with what should be there. */
export interface CellFault {
  sheet: string
  /** Such as C7; null where the fault is with the sheet as a whole. */
  cell: string | null
  /** The header of the column; null where there is none. */
  column: string | null
  code: string
  /** What stands there; null where nothing does. */
  found: string | null
  detail: string
}

/** A cell by its row and column number. */
export interface Place {
  sheet: string
  row: number
  column: number
  header: string | null
  found: string | null
}

/** Characters of what was found that are told. */
const told = 100

export const faultAt = (
  { sheet, row, column, header, found }: Place,
  code: string,
  detail: string
): CellFault => ({
  sheet,
  cell: addressOf(column, row),
  column: header,
  code,
  found: found === null || found.length <= told ? found : `${found.slice(0, told).toWellFormed()}…`,
  detail
})

export const sheetFault = (sheet: string, code: string, detail: string): CellFault => ({
  sheet,
  cell: null,
  column: null,
  code,
  found: null,
  detail
})

/** Finds the cell of a pointer into the content; undefined where it is told already that there is none. */
export type Locate = (pointer: string) => Place | undefined

/** Faults of the content at the cells from which the content was read. */
export const located = (faults: readonly FieldError[], locate: Locate): CellFault[] =>
  faults.flatMap(({ pointer, code, detail }) => {
    const place = locate(pointer)
    return place ? [faultAt(place, code, detail)] : []
  })

/** Faults as who reads the workbook comes to them: sheet by sheet, what is wrong with a sheet itself first, then row by row. */
export function inReadingOrder(
  faults: readonly CellFault[],
  sheets: readonly { name: string }[]
): CellFault[] {
  const numbers = new Map(sheets.map(({ name }, at) => [name, at]))
  return faults
    .map((fault) => ({ fault, sheet: numbers.get(fault.sheet) ?? -1, ...place(fault) }))
    .sort((one, other) => one.sheet - other.sheet || one.row - other.row || one.column - other.column)
    .map(({ fault }) => fault)
}

const place = ({ cell }: CellFault) =>
  (cell === null ? undefined : parseAddress(cell)) ?? { row: 0, column: 0 }
