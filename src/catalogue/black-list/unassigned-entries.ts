import { and, asc, eq, isNull } from 'drizzle-orm'
import { insertAuditRows } from '../../audit/insert.js'
import type { AuditRow } from '../../audit/tables.js'
import type { Database } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { blackListEntries, catalogueItems } from '../tables.js'

/*
 * Black list entries of an unknown organization. They apply to orders, but callers do not see them,
 * only operators do.
 */

/** An entry without an organization. */
export interface UnassignedEntry {
  id: string
  createdAt: Date
  /** URL of the clinical Patient. */
  patient: string
  /** Name of the item. */
  item: string
}

/** Makes the audit row of an operator's request from its patients. */
export type ToAuditRow = (patients: readonly string[]) => AuditRow

/**
 * Lists the entries without an organization, in order of creation. Commits the audit record before
 * it returns them.
 */
export function listUnassigned(db: Database, toAuditRow: ToAuditRow): Promise<UnassignedEntry[]> {
  return db.transaction(async (tx) => {
    const entries = await tx
      .select({
        id: blackListEntries.id,
        createdAt: blackListEntries.createdAt,
        patient: blackListEntries.patient,
        item: catalogueItems.name
      })
      .from(blackListEntries)
      .innerJoin(catalogueItems, eq(catalogueItems.id, blackListEntries.itemId))
      .where(isNull(blackListEntries.organization))
      .orderBy(asc(blackListEntries.id))
    await insertAuditRows(tx, [toAuditRow(entries.map(({ patient }) => patient))])
    return entries
  })
}

/**
 * Deletes entries without an organization, all or none, together with the audit record.
 * @throws Error with the ids that no such entry has.
 */
export function removeUnassigned(
  db: Database,
  ids: readonly string[],
  toAuditRow: ToAuditRow
): Promise<void> {
  return db.transaction(async (tx) => {
    const removed = await tx
      .delete(blackListEntries)
      .where(and(inIds(blackListEntries.id, ids), isNull(blackListEntries.organization)))
      .returning()
    const found = new Set(removed.map(({ id }) => id))
    const unknownIds = ids.filter((id) => !found.has(id))
    if (unknownIds.length > 0)
      throw new Error(`No black list entry without an organization has the id ${unknownIds.join(', ')}.`)
    await insertAuditRows(tx, [toAuditRow(removed.map(({ patient }) => patient))])
  })
}
