import { randomUUID } from 'node:crypto'
import { eq, inArray, sql } from 'drizzle-orm'
import { insertAuditRows } from '../audit/insert.js'
import { blackListEntries } from '../catalogue/tables.js'
import type { Database, Transaction } from '../db/driver/database.js'
import { withBackgroundTransaction } from '../db/unit-of-work.js'
import { devices } from '../order/device/tables.js'
import { orderFields, receiverFields } from '../order/model/order.fields.js'
import { orderLines, orders } from '../order/store/tables.js'
import { searchText } from '../platform/util/search-text.js'
import type { CommandContext } from './command.js'
import { batchesOf, commitInTwoPhases } from './order-batches.js'
import { permission } from './owner.js'
import { subjectsOf } from './patient-reference.js'
import type { Recorder } from './recorder.js'

/** Name of the receiver of an order from which the patient was erased. */
const ERASED_NAME = '(erased)'

/** Audit rows that one transaction changes. */
const BATCH_SIZE = 500

const act = { operation: 'erasePatient', interaction: 'delete' } as const

interface Erasure {
  patient: string
  /** Its closed orders. */
  ids: readonly string[]
  /** Whether devices keep their numbers. */
  keepsNumbers: boolean
}

/**
 * Erases a patient from its orders, each batch in one transaction with its audit record.
 * @param erased counts the orders.
 */
export async function eraseOrders(
  context: CommandContext,
  recorder: Recorder,
  { patient, ids, keepsNumbers }: Erasure,
  erased: { orders: number }
): Promise<void> {
  if (ids.length === 0) return
  const columns = erasedColumns(await erasedPatient(context.db, recorder, patient))
  for (const batch of batchesOf(context, ids)) {
    await context.db.transaction(async (tx) => {
      await tx.execute(sql`
        select from orders o where o.id in ${batch} order by o.id for update`)
      await eraseBatch(tx, batch, columns, keepsNumbers)
      await insertAuditRows(tx, [recorder.rowOf(act, subjectsOf(patient, batch))])
      await commitInTwoPhases(tx, context, batch)
    })
    erased.orders += batch.length
  }
}

async function eraseBatch(
  tx: Transaction,
  ids: readonly string[],
  columns: ReturnType<typeof erasedColumns>,
  keepsNumbers: boolean
): Promise<void> {
  // Not in the statement that writes it: Citus refuses there what differs between nodes.
  const [now] = await tx.execute<{ at: string }>(sql`select clock_timestamp()::text as at`)
  const changedAt = sql`greatest(${orders.changedAt}, ${now?.at}::timestamptz)`
  await tx
    .update(orders)
    .set({ ...columns, changedAt })
    .where(inArray(orders.id, [...ids]))
  await tx
    .update(orderLines)
    .set({ statusReasonText: null })
    .where(inArray(orderLines.orderId, [...ids]))
  const noNumbers = { serialNumber: null, lotNumber: null, udi: null }
  if (!keepsNumbers)
    await tx
      .update(devices)
      .set(noNumbers)
      .where(inArray(devices.orderId, [...ids]))
}

/** The columns of an order without its patient. */
const erasedColumns = (patient: string) => ({
  ...Object.fromEntries(
    Object.values({ ...orderFields, ...receiverFields }).map(({ column }) => [column, null])
  ),
  identifiers: [],
  notes: [],
  statusReasonText: null,
  receiverName: ERASED_NAME,
  patient,
  searchText: searchText(ERASED_NAME),
  // Clients' copies are not current any more.
  revision: sql`${orders.revision} + 1`
})

/**
 * The patient that replaces one: random, of a server that cannot exist (RFC 2606), and the same in
 * all orders of one erasure, so that they still belong together. A run that was ended has left
 * audit records of its orders, and after them not the one of the black lists.
 */
async function erasedPatient(db: Database, { patientFormats }: Recorder, patient: string): Promise<string> {
  const [, hash] = patientFormats(patient)
  const [last] = await db.execute<{ order: string | null }>(sql`
    select orders[1] as order from audit_events
    where patients && array[${hash}::text::bytea] and operation = ${act.operation}
    order by recorded desc, id desc limit 1`)
  const [erased] = last?.order
    ? await db.execute<{ patient: string }>(sql`select patient from orders where id = ${last.order}`)
    : []
  return erased?.patient ?? `https://erased.invalid/Patient/${randomUUID()}`
}

/**
 * Removes the patient's black list entries, in one transaction with an audit record, which ends the
 * erasure of its orders.
 * @returns the number of entries.
 */
export const eraseEntries = (
  context: CommandContext,
  { rowOf }: Recorder,
  patient: string
): Promise<number> =>
  withBackgroundTransaction(context, async (tx) => {
    const entries = await tx
      .delete(blackListEntries)
      .where(eq(blackListEntries.patient, patient))
      .returning({ id: blackListEntries.id })
    await insertAuditRows(tx, [rowOf(act, subjectsOf(patient, []))])
    return entries.length
  })

/**
 * Replaces the plain reference of the patient in the audit record by its hash, in batches.
 * @returns the number of records.
 */
export async function hashRecords(
  db: Database,
  { patientFormats }: Recorder,
  patient: string
): Promise<number> {
  const [reference, hash] = patientFormats(patient).map((format) => sql`${format}::text::bytea`)
  let total = 0
  for (;;) {
    const hashed = await db.transaction(async (tx) => {
      await tx.execute(sql`select ${permission('hash patients')}`)
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
