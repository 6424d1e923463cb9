import type { CellContent } from './cell-content.js'
import type { Cell, Row } from './cells.js'

/**
 * A row as it is sent between processes, as JSON could hold it: its number, and for each cell its column, its kind and its
 * value. One list a row: a list or an object for each cell takes the receiver four times as long.
 */
export type SentRow = (number | string | boolean)[]

/** In a row, a kind is its number here, twice, and one more for the result of a formula. */
const kinds = ['shared', 'text', 'number', 'boolean', 'date', 'error', 'formula'] as const
const kindNumbers = Object.fromEntries(kinds.map((kind, at) => [kind, at * 2])) as Record<
  (typeof kinds)[number],
  number
>

/** What of a cell a row holds. */
export interface SentCell {
  column: number
  content: CellContent
  fromFormula: boolean
}

export function addCell(row: SentRow, { column, content, fromFormula }: SentCell): void {
  row.push(column, kindNumbers[content.kind] + (fromFormula ? 1 : 0), valueIn(content))
}

function valueIn(content: CellContent): number | string | boolean {
  if (content.kind === 'shared') return content.shared
  if (content.kind === 'boolean') return content.value
  const isPlain = content.kind === 'number' && content.text === String(content.value)
  return isPlain ? content.value : content.text
}

/** The row that was sent. @param texts the texts that cells name by number. */
export function rowOf(sent: SentRow, texts: readonly string[]): Row {
  const cells: Cell[] = []
  for (let at = 1; at < sent.length; at += 3)
    cells.push(cellOf(sent[at] as number, sent[at + 1] as number, sent[at + 2] ?? '', texts))
  return { number: sent[0] as number, cells }
}

/** Each kind of cell is made at once, not member by member: there are a million of them. */
function cellOf(column: number, kindNumber: number, value: SentRow[number], texts: readonly string[]): Cell {
  const kind = kinds[kindNumber >> 1] ?? 'text'
  const fromFormula = kindNumber % 2 === 1
  if (kind === 'shared') return { kind: 'text', text: texts[value as number] ?? '', column, fromFormula }
  if (kind === 'boolean')
    return value
      ? { kind, value: true, text: 'TRUE', column, fromFormula }
      : { kind, value: false, text: 'FALSE', column, fromFormula }
  // The value is a text where the number is shown with zeros before it.
  if (kind === 'number') return { kind, value: Number(value), text: String(value), column, fromFormula }
  return { kind, text: String(value), column, fromFormula }
}
