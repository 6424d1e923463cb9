import { sql } from 'drizzle-orm'
import type { Transaction } from '../../db/driver/database.js'
import type { ExportKind } from './kinds.js'

/** Rows in memory at a time. */
const PAGE_SIZE = 500

/** Reads the rows of a kind in pages, each row as JSON text. Counts them in `counts`. */
export async function* readRows(
  tx: Transaction,
  { name, rows }: ExportKind,
  counts: Map<string, number>
): AsyncGenerator<string> {
  const cursor = sql.identifier(`export_${name.toLowerCase()}`)
  await tx.execute(sql`declare ${cursor} no scroll cursor for ${rows}`)
  let count = 0
  for (;;) {
    const page = await tx.execute<{ row: string }>(sql`fetch ${sql.raw(String(PAGE_SIZE))} from ${cursor}`)
    for (const { row } of page) yield row
    count += page.length
    if (page.length < PAGE_SIZE) break
  }
  await tx.execute(sql`close ${cursor}`)
  counts.set(name, count)
}
