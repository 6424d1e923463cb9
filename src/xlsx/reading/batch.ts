import { type EncodedRow, encodeCell, type RowCell } from './row-encoding.js'

/** A batch is sent once it has this many characters; each cell or text adds a fixed overhead. */
const BATCH_CHARACTERS = 131_072
const OVERHEAD_CHARACTERS = 32

/** Splits texts into batches of bounded size. */
export function* textBatches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let size = 0
  for (const text of texts) {
    batch.push(text)
    size += OVERHEAD_CHARACTERS + text.length
    if (size < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

export interface RowBatcher {
  add(row: number, cell: RowCell): void
  /** Takes the complete rows once they fill a batch; all rows at the end of the sheet. */
  take(isEnd: boolean): EncodedRow[]
}

/**
 * Collects cells into batches of rows. Cells must be added from left to right and from top to
 * bottom.
 */
export function createRowBatcher(): RowBatcher {
  let rows: EncodedRow[] = []
  let size = 0
  return {
    add(number, cell) {
      let row = rows.at(-1)
      if (row?.[0] !== number) {
        row = [number]
        rows.push(row)
      }
      encodeCell(row, cell)
      size += OVERHEAD_CHARACTERS + ('text' in cell.content ? cell.content.text.length : 0)
    },
    take(isEnd) {
      if (!isEnd && size < BATCH_CHARACTERS) return []
      // More cells of the last row may follow.
      const open = isEnd ? [] : rows.splice(-1)
      const batch = rows
      rows = open
      size = 0
      return batch
    }
  }
}
