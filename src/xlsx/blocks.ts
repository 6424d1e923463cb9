import type { Cell, Content, Row } from './cells.js'
import { shown } from './number-format.js'
import { dateText } from './serial-date.js'

/** The kinds of cells; in a block, a kind is a number. */
const kinds = ['text', 'number', 'boolean', 'date', 'error', 'formula'] as const satisfies Content['kind'][]
export type Kind = (typeof kinds)[number]
const kindNumbers = Object.fromEntries(kinds.map((kind, at) => [kind, at])) as Record<Kind, number>
const formulaFlag = 8

/**
 * Some rows of a sheet, packed: tens of thousands of rows go from process to process and stay in memory as a few arrays.
 * Of each row: its number and where its cells end. Of each cell: its column, kind, digits at least, and its value, which for
 * texts is their place in the workbook's list of texts.
 */
export interface Block {
  sheet: number
  /** Texts to be added to the workbook's list. */
  texts: string[]
  rows: Uint32Array
  ends: Uint32Array
  columns: Uint16Array
  kinds: Uint8Array
  digits: Uint8Array
  values: Float64Array
}

/** Cells after which a block is closed, at the end of a row. */
const enough = 8_192

/** A cell on its way into a block. */
export interface PackedCell {
  column: number
  kind: Kind
  fromFormula: boolean
  /** A number, a date's number, 1 or 0 for true or false, or a text's place in the list. */
  value: number
  digits: number
}

export interface Packer {
  cell(row: number, cell: PackedCell): void
  /** The place of a text that is new to the list. */
  text(text: string): number
  /** The whole rows so far, when they are enough for a block; all rows, when the sheet `isLast` read to its end. */
  take(sheet: number, isLast: boolean): Block | undefined
}

/** Packs cells, which must come from left to right and from top to bottom, into blocks. */
export function packer(): Packer {
  let texts: string[] = []
  let rows: number[] = []
  let ends: number[] = []
  let cells: PackedCell[] = []
  let listed = 0

  return {
    cell(row, cell) {
      if (rows[rows.length - 1] !== row) {
        rows.push(row)
        ends.push(0)
      }
      cells.push(cell)
      ends[ends.length - 1] = cells.length
    },
    text: (text) => {
      texts.push(text)
      return listed++
    },
    take(sheet, isLast) {
      // The last row may go on.
      const whole = isLast ? rows.length : rows.length - 1
      const end = ends[whole - 1] ?? 0
      if (end === 0 || (end < enough && !isLast)) return undefined
      const block = packed(sheet, texts, rows.slice(0, whole), ends.slice(0, whole), cells.slice(0, end))
      texts = []
      rows = rows.slice(whole)
      cells = cells.slice(end)
      ends = rows.map(() => cells.length)
      return block
    }
  }
}

/** Loops, since there are a million cells: `from` with a function takes several times as long. */
function packed(sheet: number, texts: string[], rows: number[], ends: number[], cells: PackedCell[]): Block {
  const columns = new Uint16Array(cells.length)
  const kinds = new Uint8Array(cells.length)
  const digits = new Uint8Array(cells.length)
  const values = new Float64Array(cells.length)
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] as PackedCell
    columns[at] = cell.column
    kinds[at] = kindNumbers[cell.kind] + (cell.fromFormula ? formulaFlag : 0)
    digits[at] = cell.digits
    values[at] = cell.value
  }
  return {
    ...{ sheet, texts, columns, kinds, digits, values },
    ...{ rows: Uint32Array.from(rows), ends: Uint32Array.from(ends) }
  }
}

/** The rows that were packed into blocks. */
export function* unpacked(blocks: readonly Block[], texts: readonly string[]): Generator<Row> {
  for (const block of blocks) {
    let begin = 0
    for (const [at, number] of block.rows.entries()) {
      const end = block.ends[at] ?? begin
      const cells: Cell[] = []
      for (let next = begin; next < end; next++) cells.push(cellAt(block, next, texts))
      yield { number, cells }
      begin = end
    }
  }
}

function cellAt(block: Block, at: number, texts: readonly string[]): Cell {
  const flags = block.kinds[at] ?? 0
  const kind = kinds[flags & (formulaFlag - 1)] ?? 'text'
  const content = contentOf(kind, block.values[at] ?? 0, block.digits[at] ?? 0, texts)
  return { column: block.columns[at] ?? 0, fromFormula: flags >= formulaFlag, ...content }
}

function contentOf(kind: Kind, value: number, digits: number, texts: readonly string[]): Content {
  if (kind === 'number') return { kind, value, text: shown(value, digits) }
  if (kind === 'date') return { kind, text: dateText(value) }
  if (kind === 'boolean') return { kind, value: value === 1, text: value === 1 ? 'TRUE' : 'FALSE' }
  return { kind, text: texts[value] ?? '' }
}
