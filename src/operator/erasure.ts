import { randomUUID } from 'node:crypto'
import { eq, inArray, sql } from 'drizzle-orm'
import { insertAuditRows } from '../audit/tables.js'
import { blackListEntries } from '../catalogue/tables.js'
import type { PatientReferences } from '../clinical/current-patient.js'
import { patientAliases } from '../clinical/tables.js'
import type { Database, Transaction } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { unitOfWork } from '../db/unit-of-work.js'
import { devices } from '../device/tables.js'
import { orderFields, receiverFields } from '../order/model/order.fields.js'
import { orderLines, orders } from '../order/store/tables.js'
import { searchText } from '../platform/text/search-text.js'
import { subjectsOf } from './patient-reference.js'
import type { Recorder } from './recorder.js'

/** Name of the receiver of an order from which the patient was erased. */
const ERASED_NAME = '(erased)'

const act = { operation: 'erasePatient', interaction: 'delete' } as const

export interface Erasure {
  references: PatientReferences
  /** Its closed orders. */
  ids: readonly string[]
  /** Whether devices keep their numbers. */
  keepsNumbers: boolean
}

/** Erases a patient from its orders, in one transaction with the audit record. */
export async function eraseOrders(db: Database, recorder: Recorder, erasure: Erasure): Promise<void> {
  const { references, ids } = erasure
  if (ids.length === 0) return
  await unitOfWork({ db }, null, async ({ tx }) => {
    await tx.execute(sql`select from orders where id in ${ids} order by id for update`)
    await eraseRows(tx, erasure)
    await insertAuditRows(tx, [recorder.rowOf(act, subjectsOf(references[0], ids))])
  })
}

async function eraseRows(tx: Transaction, { ids, keepsNumbers }: Erasure): Promise<void> {
  await tx
    .update(orders)
    .set({ ...erasedColumns(), changedAt: sql`greatest(${orders.changedAt}, clock_timestamp())` })
    .where(inIds(orders.id, ids))
  await tx
    .update(orderLines)
    .set({ statusReasonText: null, receivedBy: null })
    .where(inIds(orderLines.orderId, ids))
  const noNumbers = { serialNumber: null, lotNumber: null, udi: null }
  if (!keepsNumbers) await tx.update(devices).set(noNumbers).where(inIds(devices.orderId, ids))
}

/**
 * The columns of an order without its patient. The patient that replaces it is random, on a server
 * that cannot exist (RFC 2606). The random patient is the same in all orders of one erasure, so
 * that these stay related.
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
  // Clients' copies become outdated.
  revision: sql`${orders.revision} + 1`
})

/**
 * Removes the patient's black list entries and former references, in one transaction with an audit
 * record, which ends the erasure: without the former references a repeat does not find the rest.
 * @returns the number of entries.
 */
export const eraseEntries = (
  db: Database,
  { rowOf }: Recorder,
  [patient, ...former]: PatientReferences
): Promise<number> =>
  unitOfWork({ db }, null, async ({ tx }) => {
    const entries = await tx
      .delete(blackListEntries)
      .where(eq(blackListEntries.patient, patient))
      .returning({ id: blackListEntries.id })
    await tx.delete(patientAliases).where(inArray(patientAliases.reference, former))
    const subjects = [patient, ...former].flatMap((each) => subjectsOf(each, []))
    await insertAuditRows(tx, [rowOf(act, subjects)])
    return entries.length
  })
