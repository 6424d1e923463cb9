import { addCell, type SentCell, type SentRow } from './sent-row.js'

/** Characters after which a batch is closed; a cell counts as some. */
const BATCH_CHARACTERS = 131_072
const CELL_CHARACTERS = 32

/** Splits texts into batches, so that no message holds all of them. */
export function* textBatches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let size = 0
  for (const text of texts) {
    batch.push(text)
    size += CELL_CHARACTERS + text.length
    if (size < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

export interface RowBatcher {
  add(row: number, cell: SentCell): void
  /** The complete rows so far, once they are enough for a batch; all rows at the end of the sheet. */
  take(isEnd: boolean): SentRow[]
}

/** Collects the cells of a sheet, which must come from left to right and from top to bottom, into batches of rows. */
export function rowBatcher(): RowBatcher {
  let rows: SentRow[] = []
  let size = 0
  return {
    add(number, cell) {
      let row = rows.at(-1)
      if (row?.[0] !== number) {
        row = [number]
        rows.push(row)
      }
      addCell(row, cell)
      size += CELL_CHARACTERS + ('text' in cell.content ? cell.content.text.length : 0)
    },
    take(isEnd) {
      if (!isEnd && size < BATCH_CHARACTERS) return []
      // The last row may go on.
      const open = isEnd ? [] : rows.splice(-1)
      const batch = rows
      rows = open
      size = 0
      return batch
    }
  }
}
