import { sql } from 'drizzle-orm'
import type { Database } from '../../db/driver/database.js'
import { type Command, parseArguments, plural } from '../command.js'
import { type PatientReference, readPatientReference } from '../patient-reference.js'
import { createRecorder } from '../recorder.js'
import { type ExportKind, exportKinds } from './kinds.js'
import { readRows } from './rows.js'
import { exportFiles, writeExport } from './write-files.js'

/**
 * `patient export <reference> --to <folder or file>`: writes all that is stored about a patient,
 * and who accessed it. Prints counts only.
 */
export const exportPatient: Command = (args) => {
  const { positionals, values } = parseArguments(args, ['to'], 1)
  return async ({ db, input, print }) => {
    const patient = await readPatientReference(positionals[0] ?? '', input)
    const exported = new Date().toISOString()
    const files = exportFiles(values.to ?? '', exported)
    const recorder = await createRecorder(db)
    const formats = [...new Set(patient.stored.flatMap(recorder.patientFormats))]
    const kinds = exportKinds(patient, formats)
    const isKnown = await Promise.all(kinds.map((kind) => hasRows(db, kind)))
    if (!isKnown.includes(true)) throw new Error('Nothing was found that names this patient.')
    // Committed before anything is shown.
    await recorder.record({ operation: 'exportPatient', interaction: 'read' }, await subjectsOf(db, patient))
    const counts = await write(db, { patient, exported, kinds, files })
    for (const [name, count] of counts) print(`${name}: ${count}`)
    print(`Wrote ${plural(files.length, 'file')}: ${files.join(', ')}`)
  }
}

async function hasRows(db: Database, { rows }: ExportKind): Promise<boolean> {
  return (await db.execute(sql`${rows} limit 1`)).length > 0
}

/** The patient in each of its orders. */
async function subjectsOf(db: Database, { url, stored }: PatientReference) {
  const found = await db.execute<{ order: string }>(
    sql`select id as order from orders where patient = any(${sql.param(stored)}::text[]) order by id`
  )
  const orders = found.length > 0 ? found.map(({ order }) => order) : [null]
  return orders.map((order) => ({ patient: url, order }))
}

interface Export {
  patient: PatientReference
  exported: string
  kinds: readonly ExportKind[]
  files: readonly string[]
}

/** Writes the files from one snapshot, and returns the number of rows of each kind. */
function write(db: Database, { patient, exported, kinds, files }: Export): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  return db.transaction(
    async (tx) => {
      const read = (kind: ExportKind) => readRows(tx, kind, counts)
      for (const file of files) await writeExport(file, { patient: patient.url, exported, kinds, read })
      return counts
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' }
  )
}
