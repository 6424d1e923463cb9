import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/driver/database.js'
import { newId, unitOfWork } from '../../db/unit-of-work.js'
import type { ExportKind } from './kinds.js'

/** Rows in memory at a time. */
const PAGE_SIZE = 500

/**
 * Writes one snapshot as a JSON object with an array for each type of data, and returns the number
 * of rows of each. Only the owner reads the file (mode 0600). The file has its final name only when
 * it is complete. Until then the name begins with a dot and ends with `.partial`.
 * @param patient URL of the clinical Patient.
 */
export async function writeExport(
  db: Database,
  file: string,
  patient: string,
  kinds: readonly ExportKind[]
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const partial = join(dirname(file), `.${basename(file)}.${newId()}.partial`)
  try {
    await unitOfWork(
      { db },
      null,
      ({ tx }) =>
        pipeline(
          json(tx, patient, kinds, counts),
          createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
        ),
      { isSnapshot: true }
    )
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
  return counts
}

async function* json(
  tx: Transaction,
  patient: string,
  kinds: readonly ExportKind[],
  counts: Map<string, number>
) {
  yield `{"patient":${JSON.stringify(patient)},"exported":${JSON.stringify(new Date())}`
  for (const kind of kinds) {
    yield `,\n${JSON.stringify(kind.name)}:[`
    let count = 0
    for await (const row of rowsOf(tx, kind)) yield (count++ > 0 ? ',\n' : '\n') + row
    counts.set(kind.name, count)
    yield ']'
  }
  yield '\n}\n'
}

/** Reads the rows of a type of data in pages, each row as JSON text. */
async function* rowsOf(tx: Transaction, { name, rows }: ExportKind): AsyncGenerator<string> {
  const cursor = sql.identifier(`export_${name.toLowerCase()}`)
  await tx.execute(sql`declare ${cursor} no scroll cursor for ${rows}`)
  for (;;) {
    const page = await tx.execute<{ row: string }>(sql`fetch ${sql.raw(String(PAGE_SIZE))} from ${cursor}`)
    for (const { row } of page) yield row
    if (page.length < PAGE_SIZE) return
  }
}
