import { and, eq, type SQL, sql } from 'drizzle-orm'
import { blackListEntries } from '../catalogue/tables.js'
import { findCurrentPatient } from '../clinical/current-patient.js'
import { patientAliases } from '../clinical/tables.js'
import type { Transaction } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { insertEvents, newEvent } from '../ledger/insert.js'
import { orders } from '../order/store/tables.js'

export interface Replacement {
  from: string
  to: string
}

export interface PatientMove {
  /** Whether an earlier replacement was undone. */
  isTakenBack: boolean
  orders: readonly { id: string; isOpen: boolean }[]
  blackListEntries: number
  /** Black list entries of both references that were merged or, in a reversal, restored. */
  joined: number
}

/**
 * Replaces a reference to a patient by another reference in all orders and black lists, and stores
 * the replacement. The replacement in the other direction reverses it: moved rows that still exist
 * return, and merged black list entries are restored for both references.
 * @throws Error that states the remedy.
 */
export async function movePatient(tx: Transaction, replacement: Replacement): Promise<PatientMove> {
  const { from, to } = replacement
  // Allows one replacement at a time, and until its end no request adds a duplicate black list
  // entry.
  await tx.execute(sql`lock table ${patientAliases}, ${blackListEntries} in share row exclusive mode`)
  const { reference, replacedBy } = patientAliases
  const isReverse = and(eq(reference, to), eq(replacedBy, from))
  const [reverse] = await tx.select().from(patientAliases).where(isReverse)
  const [source, target] = [await findCurrentPatient(tx, from), await findCurrentPatient(tx, to)]
  if (source !== from && (reverse || source !== target))
    throw new Error('Another reference has replaced --from. Name that reference instead.')
  if (!reverse && target === from)
    throw new Error(
      '--from has replaced --to by way of other references. Take the last replacement back first.'
    )
  await tx.execute(sql`select lock_patient(${from})`)
  return reverse ? takeBack(tx, replacement, reverse) : replace(tx, from, target)
}

async function replace(tx: Transaction, from: string, target: string): Promise<PatientMove> {
  const doubles = await tx.execute<{ id: string; kept: string }>(sql`
    delete from black_list_entries b using black_list_entries kept
    where b.patient = ${from} and kept.patient = ${target}
      and kept.item_id = b.item_id and kept.organization = b.organization
    returning b.id, kept.id as kept`)
  const entries = await moveEntries(tx, eq(blackListEntries.patient, from), target)
  const moved = await moveOrders(tx, eq(orders.patient, from), target)
  await tx
    .insert(patientAliases)
    .values({
      reference: from,
      replacedBy: target,
      moved: [...moved, ...entries].map(({ id }) => id),
      joined: Object.fromEntries(doubles.map(({ id, kept }) => [id, kept]))
    })
    // A repeated command has no rows to move.
    .onConflictDoNothing()
  return { isTakenBack: false, orders: moved, blackListEntries: entries.length, joined: doubles.length }
}

async function takeBack(
  tx: Transaction,
  { from, to }: Replacement,
  { moved: ids, joined }: typeof patientAliases.$inferSelect
): Promise<PatientMove> {
  await tx.delete(patientAliases).where(eq(patientAliases.reference, to))
  const isMoved = (table: typeof orders | typeof blackListEntries) =>
    and(eq(table.patient, from), inIds(table.id, ids))
  const entries = await moveEntries(tx, isMoved(blackListEntries), to)
  const restored = await tx.execute(sql`
    insert into black_list_entries (id, patient, item_id, organization, created_at)
    select each.removed::uuid, ${to}, kept.item_id, kept.organization, kept.created_at
    from jsonb_each_text(${JSON.stringify(joined)}::text::jsonb) each (removed, kept_id)
    join black_list_entries kept on kept.id = each.kept_id::uuid and kept.patient = ${from}
    on conflict do nothing returning 1`)
  const moved = await moveOrders(tx, isMoved(orders), to)
  return { isTakenBack: true, orders: moved, blackListEntries: entries.length, joined: restored.length }
}

const moveEntries = (tx: Transaction, condition: SQL | undefined, patient: string) =>
  tx.update(blackListEntries).set({ patient }).where(condition).returning({ id: blackListEntries.id })

/**
 * A trigger changes the lines of the orders. Clients reload the orders, and an event explains the
 * change of open orders.
 */
async function moveOrders(tx: Transaction, condition: SQL | undefined, patient: string) {
  const isOpen = sql<boolean>`${orders.status} in ('SUBMITTED', 'ACCEPTED')`
  const moved = await tx
    .update(orders)
    .set({
      patient,
      revision: sql`${orders.revision} + 1`,
      changedAt: sql`greatest(${orders.changedAt}, clock_timestamp())`,
      eventCount: sql`${orders.eventCount} + (${isOpen})::int`
    })
    .where(condition)
    .returning({ id: orders.id, isOpen, sequence: orders.eventCount })
  const event = { type: 'order.receiver-changed', change: 'changed' } as const
  const at = new Date()
  await insertEvents(
    tx,
    moved
      .filter((order) => order.isOpen)
      .map(({ id, sequence }) => newEvent({}, at, { ...event, subjectId: id, sequence }))
  )
  return moved
}
