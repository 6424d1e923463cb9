import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { parties } from '../agreement/tables.js'
import { catalogueImports } from '../catalogue/history/tables.js'
import { blackListEntries } from '../catalogue/tables.js'
import type { Transaction } from '../db/driver/database.js'
import { inIds } from '../db/sql/conditions.js'
import { insertAll } from '../db/sql/insert-all.js'
import { replacedOrganizations } from '../db/tables.js'
import { newId } from '../db/unit-of-work.js'
import { insertEvents, newEvent } from '../ledger/insert.js'
import { stopReasons } from '../webhooks/subscription.state.js'
import { subscriptions } from '../webhooks/tables.js'
import { lockOrdersOf } from './order-locks.js'

/** The resources that move from one organization to another. */
export interface OrganizationMove {
  from: string
  to: string
  /** Ids of the parties of a task that moves. Empty for a merger, which moves everything. */
  parties: readonly string[]
  /** Whether a task takes copies of the black list entries along. */
  hasBlackLists: boolean
}

export interface MoveCounts {
  parties: number
  /** Parties that the organization registered, also for other organizations. */
  registrations: number
  blackListEntries: number
  /** Black list entries that both organizations have. */
  doubles: number
  subscriptions: number
  imports: number
}

/** SQL condition: the column of a party has the organization, and the party moves. */
const isMoved = (
  column: PgColumn,
  organization: string,
  { parties: ids }: OrganizationMove
): SQL | undefined => and(eq(column, organization), ids.length > 0 ? inIds(parties.id, ids) : undefined)

/** SQL condition: both organizations have the black list entry of the first organization. */
const isDouble = ({
  from,
  to
}: OrganizationMove): SQL => sql`(black_list_entries.organization = ${from} and exists (
  select from black_list_entries o where o.organization = ${to}
    and o.patient = black_list_entries.patient and o.item_id = black_list_entries.item_id))`

/** Moves parties, with an event for each, and the other resources of a merger or a task. */
export async function moveOrganization(tx: Transaction, move: OrganizationMove): Promise<MoveCounts> {
  const isMerger = move.parties.length === 0
  await lockOrdersOf(tx, isMoved(parties.organization, move.from, move))
  const moved = await moveParties(tx, move)
  // Until the end of the transaction no request adds a duplicate.
  await tx.execute(sql`lock table ${blackListEntries} in share row exclusive mode`)
  const lists = isMerger
    ? await mergeBlackLists(tx, move)
    : { doubles: 0, blackListEntries: move.hasBlackLists ? await copyBlackList(tx, move) : 0 }
  const counts = { ...lists, ...moved, subscriptions: 0, imports: 0 }
  // A merger that is undone: tokens of the organization are accepted again.
  await tx.delete(replacedOrganizations).where(eq(replacedOrganizations.organization, move.to))
  return isMerger ? { ...counts, ...(await moveRest(tx, move)) } : counts
}

async function moveParties(tx: Transaction, move: OrganizationMove) {
  const { from, to } = move
  const moved = await tx
    .update(parties)
    .set({ organization: to, eventCount: sql`${parties.eventCount} + 1` })
    .where(isMoved(parties.organization, from, move))
    .returning({ subjectId: parties.id, sequence: parties.eventCount })
  const registered = await tx
    .update(parties)
    .set({ registeredBy: to })
    .where(isMoved(parties.registeredBy, from, move))
    .returning({ id: parties.id })
  const at = new Date()
  await insertEvents(
    tx,
    moved.map((party) => newEvent({}, at, { type: 'party.changed', change: 'changed', ...party }))
  )
  return { parties: moved.length, registrations: registered.length }
}

/**
 * Moves the entries of an organization to the other organization, which keeps its own entry of each
 * duplicate.
 */
async function mergeBlackLists(tx: Transaction, move: OrganizationMove) {
  const ids = { id: blackListEntries.id }
  const doubles = await tx.delete(blackListEntries).where(isDouble(move)).returning(ids)
  const moved = await tx
    .update(blackListEntries)
    .set({ organization: move.to })
    .where(eq(blackListEntries.organization, move.from))
    .returning(ids)
  return { doubles: doubles.length, blackListEntries: moved.length }
}

/** Copies the entries that the other organization does not have, and returns their number. */
async function copyBlackList(tx: Transaction, move: OrganizationMove): Promise<number> {
  const { patient, itemId, organization } = blackListEntries
  // The entries are read first, because the program makes the ids of the copies.
  const entries = await tx
    .select({ patient, itemId })
    .from(blackListEntries)
    .where(and(eq(organization, move.from), sql`not ${isDouble(move)}`))
  const copies = entries.map((entry) => ({ ...entry, id: newId() }))
  await insertAll(tx, blackListEntries, copies, { organization: move.to, createdAt: new Date() })
  return copies.length
}

/**
 * Moves the resources that only a merger moves, and stores the replacement, which rejects tokens of
 * the former organization from now on.
 */
async function moveRest(tx: Transaction, { from, to }: OrganizationMove) {
  const ofFormer = eq(subscriptions.organization, from)
  const paused = await tx
    .update(subscriptions)
    // The new revision ends the runs that deliver for these subscriptions.
    .set({ ...stopReasons.replaced, organization: to, revision: sql`${subscriptions.revision} + 1` })
    .where(and(ofFormer, ne(subscriptions.status, 'ENDED')))
    .returning({ id: subscriptions.id })
  const ended = await tx
    .update(subscriptions)
    .set({ organization: to })
    .where(ofFormer)
    .returning({ id: subscriptions.id })
  const imports = await tx
    .update(catalogueImports)
    .set({ organization: to })
    .where(eq(catalogueImports.organization, from))
    .returning({ id: catalogueImports.id })
  const { organization, replacedBy } = replacedOrganizations
  await tx.update(replacedOrganizations).set({ replacedBy: to }).where(eq(replacedBy, from))
  await tx
    .insert(replacedOrganizations)
    .values({ organization: from, replacedBy: to })
    .onConflictDoNothing({ target: organization })
  return { subscriptions: paused.length + ended.length, imports: imports.length }
}
