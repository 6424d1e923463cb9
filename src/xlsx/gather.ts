import { type Block, unpacked } from './blocks.js'
import type { Row, Sheet, Workbook } from './cells.js'
import type { SheetEntry } from './workbook-part.js'

/** What is told of a workbook while it is read. */
export interface Listener {
  /** Comes first. */
  sheets(sheets: Pick<SheetEntry, 'name' | 'isHidden'>[]): void
  block(block: Block): void | Promise<void>
  /** The first cell of a sheet that lies to the right of the columns that are read. */
  beyond(sheet: number, address: string): void
}

interface Found {
  name: string
  isHidden: boolean
  blocks: Block[]
  beyond?: string
}

/** Puts together what is told of a workbook. */
export function gatherer(): Listener & { workbook(): Workbook } {
  let sheets: Found[] = []
  const texts: string[] = []
  return {
    sheets(entries) {
      sheets = entries.map((entry) => ({ ...entry, blocks: [] }))
    },
    block(block) {
      for (const text of block.texts) texts.push(text)
      sheets[block.sheet]?.blocks.push({ ...block, texts: [] })
    },
    beyond(sheet, address) {
      const found = sheets[sheet]
      if (found) found.beyond = address
    },
    workbook: () => ({ sheets: sheets.map((sheet) => sheetOf(sheet, texts)) })
  }
}

function sheetOf({ name, isHidden, blocks, beyond }: Found, texts: readonly string[]): Sheet {
  const rowCount = blocks.reduce((sum, block) => sum + block.rows.length, 0)
  const rows: Iterable<Row> = { [Symbol.iterator]: () => unpacked(blocks, texts) }
  return { name, isHidden, rowCount, beyond, rows }
}
