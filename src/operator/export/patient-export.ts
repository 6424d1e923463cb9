import { existsSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { findPatientReferences } from '../../clinical/current-patient.js'
import { type Command, type CommandContext, parseArguments, UsageError } from '../command.js'
import { readPatientReferences, subjectsOf } from '../patient-reference.js'
import { createRecorder } from '../recorder.js'
import { exportKinds } from './kinds.js'
import { writeExport } from './write-export.js'

/**
 * `patient export <reference> --to <file>`: writes all stored data about a patient, and who
 * accessed the data. Prints counts only.
 */
export const exportPatient: Command = (args) => {
  const { values, positionals } = parseArguments(args, { to: { type: 'string' } }, 1)
  const [reference, file] = [positionals[0] ?? '', values.to]
  if (!file) throw new UsageError()
  return (context) => exportTo(context, reference, file)
}

async function exportTo({ db, account, input, print }: CommandContext, reference: string, file: string) {
  const [sent] = await readPatientReferences([reference], input)
  if (existsSync(file)) throw new Error(`${file} exists already. Remove it, or name another file.`)
  const recorder = await createRecorder({ db, account })
  const references = await findPatientReferences(db, sent)
  const [patient] = references
  const kinds = exportKinds(references, references.map(recorder.patientHash))
  const samples = await Promise.all(kinds.map(({ rows }) => db.execute(sql`${rows} limit 1`)))
  if (samples.every((rows) => rows.length === 0))
    throw new Error('Nothing was found that names this patient.')
  const orders = await db.execute<{ id: string }>(
    sql`select id from orders where patient = ${patient} order by id`
  )
  const ids = orders.map(({ id }) => id)
  // The record is committed before any data is shown.
  await recorder.record({ operation: 'exportPatient', interaction: 'read' }, subjectsOf(patient, ids))
  const counts = await writeExport(db, file, patient, kinds)
  for (const [name, count] of counts) print(`${name}: ${count}`)
  print(`Wrote ${file}.`)
}
