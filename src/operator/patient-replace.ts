import { eq } from 'drizzle-orm'
import { insertAuditRows } from '../audit/tables.js'
import { currentPatient } from '../clinical/current-patient.js'
import { orders } from '../order/store/tables.js'
import {
  type Command,
  type CommandContext,
  confirmOption,
  parseArguments,
  plural,
  UsageError
} from './command.js'
import { assertOwner } from './owner.js'
import { movePatient, type PatientMove } from './patient-move.js'
import { readPatientReferences, subjectsOf } from './patient-reference.js'
import { createRecorder } from './recorder.js'
import { runWithPreview } from './roll-back.js'

/**
 * `patient replace --from <reference> --to <reference> [--confirm]`: replaces the reference to a
 * patient whose record was replaced, so that the former reference counts as the new reference. With
 * exchanged references it takes the replacement back.
 */
export const replacePatient: Command = (args) => {
  const text = { type: 'string' } as const
  const { values } = parseArguments(args, { from: text, to: text, ...confirmOption })
  const { from, to, confirm } = values
  if (from === undefined || to === undefined) throw new UsageError()
  return (context) => run(context, [from, to], confirm)
}

async function run(context: CommandContext, sent: [string, string], isConfirmed: boolean): Promise<void> {
  const { db, input, print } = context
  const [from, to] = await readPatientReferences(sent, input)
  if (from === to) throw new UsageError('--from and --to must be two patients.')
  await assertOwner(db)
  const { record, rowOf } = await createRecorder(context)
  const both = [...subjectsOf(from, []), ...subjectsOf(to, [])]
  if (!isConfirmed) {
    await record({ operation: 'previewPatientReplacement', interaction: 'read' }, both)
    const present = await db.$count(orders, eq(orders.patient, currentPatient(to)))
    print(`The patient of --to has ${plural(present, 'order')} now.`)
  }
  const act = { operation: 'replacePatient', interaction: 'update' } as const
  const move = await runWithPreview(db, isConfirmed, async (tx) => {
    const moved = await movePatient(tx, { from, to })
    const ids = moved.orders.map(({ id }) => id)
    await insertAuditRows(tx, [rowOf(act, [...subjectsOf(from, ids), ...subjectsOf(to, [])])])
    return moved
  })
  if (isConfirmed) print(`${move.isTakenBack ? 'Took back a replacement. ' : ''}Moved ${describe(move)}.`)
  else
    print(
      `Would ${move.isTakenBack ? 'take back a replacement, and ' : ''}move ${describe(move)}. Nothing was changed. Repeat the command with --confirm.`
    )
}

const describe = ({ orders: moved, blackListEntries, joined, isTakenBack }: PatientMove): string =>
  `${plural(moved.length, 'order')} (${moved.filter(({ isOpen }) => isOpen).length} open) and ${plural(blackListEntries, 'black list entry', 'black list entries')} (${joined} doubles ${isTakenBack ? 'restored' : 'joined'})`
