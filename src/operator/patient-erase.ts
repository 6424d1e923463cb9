import { randomUUID } from 'node:crypto'
import { eq, getTableName, inArray, sql } from 'drizzle-orm'
import { insertAuditRows } from '../audit/insert.js'
import { auditEvents } from '../audit/tables.js'
import { blackListEntries } from '../catalogue/tables.js'
import { assertNotDistributed } from '../db/distribution.js'
import type { Database, Transaction } from '../db/driver/database.js'
import { devices } from '../order/device/tables.js'
import { orderFields, receiverFields } from '../order/model/order.fields.js'
import { orderLines, orders } from '../order/store/tables.js'
import { timeOfChange } from '../order/store/time-of-change.js'
import { searchText } from '../platform/util/search-text.js'
import { type Command, type CommandContext, plural } from './command.js'
import { assertOwner, permitChange } from './owner.js'
import { readPatientReference, subjectsOf } from './patient-reference.js'
import { createRecorder, type Recorder } from './recorder.js'
import { isClosedOrder, isInUse } from './retention-orders.js'

/** Name of the receiver of an order from which the patient was erased. */
const ERASED_NAME = '(erased)'

/** Audit rows that one transaction changes. */
const BATCH_SIZE = 500

/**
 * `patient erase <reference> [--keep-numbers] [--confirm]`: replaces the patient in closed orders
 * by a random one that exists nowhere, clears the numbers of devices, removes black list entries,
 * and hashes references in the audit record.
 */
export const erasePatient: Command['run'] = async (context, args) => {
  const { reference, flag: keepsNumbers, isConfirmed } = args
  const { db, input, print } = context
  const patient = await readPatientReference(reference, input)
  await assertOwner(db)
  await assertNotDistributed(db)
  const recorder = await createRecorder(db)
  const found = await count(db, recorder, patient)
  if (found.orders + found.entries + found.records === 0)
    throw new Error('Nothing was found that names this patient. Nothing was changed.')
  if (isConfirmed) {
    await erase(context, recorder, patient, keepsNumbers)
    if (found.inUse > 0) print(devicesInUse(found.inUse))
    return
  }
  await recorder.record({ operation: 'previewPatientErasure', interaction: 'read' }, subjectsOf(patient, []))
  print(
    `Would erase the patient from ${plural(found.orders, 'order')} (${found.open} open), ${plural(found.entries, 'black list entry', 'black list entries')} and ${plural(found.records, 'audit record')} with the plain reference.`
  )
  if (found.inUse > 0) print(devicesInUse(found.inUse))
  print(
    found.open > 0 ? openOrders(found.open) : 'Nothing was changed: repeat it with --confirm to erase it.'
  )
}

/** SQL condition: the order `o` is neither closed nor a deleted draft. */
const isOpenOrder = sql`not ${isClosedOrder} and o.deleted_at is null`

const openOrders = (count: number) =>
  `${plural(count, 'order')} of the patient ${count === 1 ? 'is' : 'are'} open. Have them fulfilled, rejected, cancelled or, as drafts, deleted first. Nothing was changed.`

const devicesInUse = (count: number) =>
  `${plural(count, 'device')} of the patient ${count === 1 ? 'is' : 'are'} in use.`

async function count(db: Database, { patientFormats }: Recorder, patient: string) {
  const [reference] = patientFormats(patient)
  const [row] = await db.execute<Record<'orders' | 'open' | 'inUse' | 'entries' | 'records', number>>(sql`
    select
      (select count(*) from orders o where o.patient = ${patient})::int as orders,
      (select count(*) from orders o where o.patient = ${patient} and ${isOpenOrder})::int as open,
      (select count(*) from devices d join orders o on o.id = d.order_id
        where o.patient = ${patient} and ${isInUse})::int as "inUse",
      (select count(*) from black_list_entries where patient = ${patient})::int as entries,
      (select count(*) from audit_events where patients && array[${reference}::text::bytea])::int as records`)
  if (!row) throw new Error('A count has one row.')
  return row
}

async function erase(
  { db, print }: CommandContext,
  recorder: Recorder,
  patient: string,
  keepsNumbers: boolean
): Promise<void> {
  const erased = await db.transaction((tx) => eraseOrders(tx, recorder, patient, keepsNumbers))
  const records = await hashRecords(db, recorder, patient)
  print(
    `Erased the patient from ${plural(erased.orders, 'order')} and ${plural(records, 'audit record')}, and removed ${plural(erased.entries, 'black list entry', 'black list entries')}.`
  )
  const tables = [orders, orderLines, devices, blackListEntries, ...(records > 0 ? [auditEvents] : [])]
  await vacuum(db, tables.map(getTableName))
}

/** Erases the patient from its orders and the black lists, together with the audit record. */
async function eraseOrders(tx: Transaction, { rowOf }: Recorder, patient: string, keepsNumbers: boolean) {
  const found = await tx.execute<{ id: string; isOpen: boolean }>(sql`
    select o.id, ${isOpenOrder} as "isOpen" from orders o
    where o.patient = ${patient} order by o.id for update`)
  const open = found.filter(({ isOpen }) => isOpen).length
  if (open > 0) throw new Error(openOrders(open))
  const ids = found.map(({ id }) => id)
  if (ids.length > 0) {
    await tx.update(orders).set(erasedColumns()).where(inArray(orders.id, ids))
    await tx.update(orderLines).set({ statusReasonText: null }).where(inArray(orderLines.orderId, ids))
    const noNumbers = { serialNumber: null, lotNumber: null, udi: null }
    if (!keepsNumbers) await tx.update(devices).set(noNumbers).where(inArray(devices.orderId, ids))
  }
  const entries = await tx
    .delete(blackListEntries)
    .where(eq(blackListEntries.patient, patient))
    .returning({ id: blackListEntries.id })
  const act = { operation: 'erasePatient', interaction: 'delete' } as const
  await insertAuditRows(tx, [rowOf(act, subjectsOf(patient, ids))])
  return { orders: ids.length, entries: entries.length }
}

/**
 * The columns of an order without its patient. All orders of one erasure get the same random
 * patient, of a server that cannot exist (RFC 2606), so that they still belong together.
 */
const erasedColumns = () => ({
  ...Object.fromEntries(
    Object.values({ ...orderFields, ...receiverFields }).map(({ column }) => [column, null])
  ),
  identifiers: [],
  notes: [],
  statusReasonText: null,
  receiverName: ERASED_NAME,
  patient: `https://erased.invalid/Patient/${randomUUID()}`,
  searchText: searchText(ERASED_NAME),
  // Clients' copies are not current any more.
  revision: sql`${orders.revision} + 1`,
  changedAt: timeOfChange(sql`${orders.changedAt}`)
})

/**
 * Replaces the plain reference of the patient in the audit record by its hash, in batches.
 * @returns the number of records.
 */
async function hashRecords(db: Database, { patientFormats }: Recorder, patient: string): Promise<number> {
  const [reference, hash] = patientFormats(patient).map((format) => sql`${format}::text::bytea`)
  let total = 0
  for (;;) {
    const hashed = await db.transaction(async (tx) => {
      await permitChange(tx, 'hash patients')
      return tx.execute(sql`
        update audit_events set patients = array_replace(patients, ${reference}, ${hash})
        where (id, recorded) in (
          select id, recorded from audit_events where patients && array[${reference}] limit ${BATCH_SIZE})
        returning 1`)
    })
    total += hashed.length
    if (hashed.length === 0) return total
  }
}

/**
 * Removes the former versions of rows, and renews the statistics, which hold values of columns.
 * @throws Error that tells what to run.
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
