import type { CellContent } from './cell-content.js'
import type { Cell, Row } from './cells.js'

/**
 * A row as it is sent between processes: its number, then column, kind and value of each cell in
 * one flat array. An array or object per cell takes the receiver four times as long.
 */
export type EncodedRow = (number | string | boolean)[]

/** A kind is encoded as twice its index here, plus one if the cell is the result of a formula. */
const kinds = ['shared', 'text', 'number', 'boolean', 'date', 'error', 'formula'] as const
const kindNumbers = Object.fromEntries(kinds.map((kind, at) => [kind, at * 2])) as Record<
  (typeof kinds)[number],
  number
>

/** A cell before it is encoded. */
export interface RowCell {
  column: number
  content: CellContent
  fromFormula: boolean
}

export function encodeCell(row: EncodedRow, { column, content, fromFormula }: RowCell): void {
  row.push(column, kindNumbers[content.kind] + (fromFormula ? 1 : 0), encodedValue(content))
}

function encodedValue(content: CellContent): number | string | boolean {
  if (content.kind === 'shared') return content.shared
  if (content.kind === 'boolean') return content.value
  const isPlain = content.kind === 'number' && content.text === String(content.value)
  return isPlain ? content.value : content.text
}

/** Decodes a row. @param texts the shared strings. */
export function decodeRow(sent: EncodedRow, texts: readonly string[]): Row {
  const cells: Cell[] = []
  for (let at = 1; at < sent.length; at += 3)
    cells.push(decodeCell(sent[at] as number, sent[at + 1] as number, sent[at + 2] ?? '', texts))
  return { number: sent[0] as number, cells }
}

/** Builds each cell as one literal, which is faster than adding members: there may be a million. */
function decodeCell(
  column: number,
  kindNumber: number,
  value: EncodedRow[number],
  texts: readonly string[]
): Cell {
  const kind = kinds[kindNumber >> 1] ?? 'text'
  const fromFormula = kindNumber % 2 === 1
  if (kind === 'shared') return { kind: 'text', text: texts[value as number] ?? '', column, fromFormula }
  if (kind === 'boolean')
    return value
      ? { kind, value: true, text: 'TRUE', column, fromFormula }
      : { kind, value: false, text: 'FALSE', column, fromFormula }
  // The value is a string if the number is shown with leading zeros.
  if (kind === 'number') return { kind, value: Number(value), text: String(value), column, fromFormula }
  return { kind, text: String(value), column, fromFormula }
}
