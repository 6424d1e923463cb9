import { and, asc, eq, isNull } from 'drizzle-orm'
import { insertAuditRows } from '../../audit/insert.js'
import type { AuditRow } from '../../audit/tables.js'
import type { Database } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { blackListEntries, catalogueItems } from '../tables.js'

/* Black list entries of which nobody knows which organization made them. They hold, and no caller sees them: operators do. */

/** An entry without an organization. */
export interface UnassignedEntry {
  id: string
  createdAt: Date
  /** URL of the clinical Patient. */
  patient: string
  item: string
}

/** Makes the audit record of what an operator reads or removes, from the patients concerned. */
export type RecordOf = (patients: readonly string[]) => AuditRow

/** The entries without an organization, in order of creation; the audit record of reading them is committed first. */
export function listUnassigned(db: Database, recordOf: RecordOf): Promise<UnassignedEntry[]> {
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
    await insertAuditRows(tx, [recordOf(entries.map(({ patient }) => patient))])
    return entries
  })
}

/**
 * Removes entries without an organization, all of these or none, together with the audit record of it.
 * @throws Error naming the ids that are of no such entry.
 */
export function removeUnassigned(db: Database, ids: readonly string[], recordOf: RecordOf): Promise<void> {
  return db.transaction(async (tx) => {
    const removed = await tx
      .delete(blackListEntries)
      .where(and(inIds(blackListEntries.id, ids), isNull(blackListEntries.organization)))
      .returning()
    const found = new Set(removed.map(({ id }) => id))
    const others = ids.filter((id) => !found.has(id))
    if (others.length > 0)
      throw new Error(`No black list entry without an organization has the id ${others.join(', ')}.`)
    await insertAuditRows(tx, [recordOf(removed.map(({ patient }) => patient))])
  })
}
