import { and, eq, getTableName, isNull, sql } from 'drizzle-orm'
import { blackListEntries } from '../catalogue/tables.js'
import { findPatientReferences, type PatientReferences } from '../clinical/current-patient.js'
import { patientAliases } from '../clinical/tables.js'
import type { Database } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { devices } from '../device/tables.js'
import { orderLines, orders } from '../order/store/tables.js'
import { type Command, type CommandContext, confirmOption, parseArguments, plural } from './command.js'
import { type Erasure, eraseEntries, eraseOrders } from './erasure.js'
import { assertOwner } from './owner.js'
import { readPatientReferences, subjectsOf } from './patient-reference.js'
import { createRecorder, type Recorder } from './recorder.js'
import { isClosedOrder } from './retention-orders.js'

/** Ids of open orders that the output names. */
const MAX_NAMED_ORDERS = 20

/** The stored data about a patient. */
interface Found {
  orders: readonly string[]
  /** The orders that are neither closed nor deleted drafts. */
  open: readonly string[]
  /** Devices of the orders that are in use. */
  inUse: number
  blackListEntries: number
}

/**
 * `patient erase <reference> [--keep-numbers] [--confirm]`: replaces the patient in closed orders
 * by a random reference, clears the numbers of devices, and removes black list entries.
 */
export const erasePatient: Command = (args) => {
  const keepNumbers = { type: 'boolean', default: false } as const
  const { values, positionals } = parseArguments(args, { 'keep-numbers': keepNumbers, ...confirmOption }, 1)
  return (context) => run(context, positionals[0] ?? '', values['keep-numbers'], values.confirm)
}

async function run(
  context: CommandContext,
  reference: string,
  keepsNumbers: boolean,
  isConfirmed: boolean
): Promise<void> {
  const { db, input, print } = context
  const [sent] = await readPatientReferences([reference], input)
  await assertOwner(db)
  const recorder = await createRecorder(context)
  const references = await findPatientReferences(db, sent)
  const [patient, ...former] = references
  const found = await find(db, references)
  if (found.orders.length + found.blackListEntries + former.length === 0)
    throw new Error('Nothing was found that names this patient. Nothing was changed.')
  if (isConfirmed) {
    if (found.open.length > 0) throw new Error(openOrders(found.open))
    await erase(context, recorder, { references, ids: found.orders, keepsNumbers })
    if (found.inUse > 0) print(devicesInUse(found.inUse))
    return
  }
  await recorder.record({ operation: 'previewPatientErasure', interaction: 'read' }, subjectsOf(patient, []))
  print(
    `Would erase the patient from ${plural(found.orders.length, 'order')} (${found.open.length} open) and ${entries(found.blackListEntries)}.`
  )
  if (found.inUse > 0) print(devicesInUse(found.inUse))
  print(
    found.open.length > 0
      ? openOrders(found.open)
      : 'Nothing was changed. Repeat the command with --confirm to erase the patient.'
  )
}

/** SQL condition: the order `o` is neither closed nor a deleted draft. */
const isOpenOrder = sql`not ${isClosedOrder} and o.deleted_at is null`

function openOrders(ids: readonly string[]): string {
  const isOne = ids.length === 1
  const more = ids.length > MAX_NAMED_ORDERS ? ` and ${ids.length - MAX_NAMED_ORDERS} more` : ''
  const named = ids.slice(0, MAX_NAMED_ORDERS).join(', ') + more
  return `${plural(ids.length, 'order')} of the patient ${isOne ? 'is' : 'are'} open: ${named}. Have ${isOne ? 'it' : 'them'} fulfilled, rejected, cancelled or, as ${isOne ? 'a draft' : 'drafts'}, deleted first. Nothing was changed.`
}

const devicesInUse = (count: number) =>
  `${plural(count, 'device')} of the patient ${count === 1 ? 'is' : 'are'} in use.`

const entries = (count: number) => plural(count, 'black list entry', 'black list entries')

async function find(db: Database, [patient]: PatientReferences): Promise<Found> {
  const found = await db.execute<{ id: string; isOpen: boolean }>(sql`
    select o.id, ${isOpenOrder} as "isOpen" from orders o where o.patient = ${patient} order by o.id`)
  const ids = found.map(({ id }) => id)
  return {
    orders: ids,
    open: found.filter(({ isOpen }) => isOpen).map(({ id }) => id),
    inUse: await db.$count(devices, and(inIds(devices.orderId, ids), isNull(devices.until))),
    blackListEntries: await db.$count(blackListEntries, eq(blackListEntries.patient, patient))
  }
}

async function erase({ db, print }: CommandContext, recorder: Recorder, erasure: Erasure): Promise<void> {
  const { references, ids } = erasure
  await eraseOrders(db, recorder, erasure)
  const removed = await eraseEntries(db, recorder, references)
  print(`Erased the patient from ${plural(ids.length, 'order')} and removed ${entries(removed)}.`)
  await vacuum(db, [orders, orderLines, devices, blackListEntries, patientAliases].map(getTableName))
}

/**
 * Removes the former versions of rows, and renews the statistics, which contain values of columns.
 * @throws Error that states the command to run.
 */
async function vacuum(db: Database, tables: readonly string[]): Promise<void> {
  const statement = (names: readonly string[]) => `vacuum (analyze) ${names.join(', ')}`
  try {
    for (const table of tables) await db.execute(sql.raw(statement([table])))
  } catch (cause) {
    throw new Error(
      `The patient was erased, but former versions of rows are still in the files. Run as the owner: ${statement(tables)};`,
      { cause }
    )
  }
}
