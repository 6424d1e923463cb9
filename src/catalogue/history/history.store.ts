import { and, eq, inArray, lt, notExists, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/driver/database.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { type ChangeCounts, catalogueImportRows, catalogueImports, type HistoryRow } from './tables.js'

/** An import can be undone for this time. Then the former state of its rows is deleted. */
const UNDO_RETENTION = sql`interval '30 days'`
/** Entries of the history are deleted after this time. */
const HISTORY_RETENTION = sql`interval '24 months'`

/** A new entry of the history, beside who wrote it and when. */
export type NewEntry = Pick<HistoryRow, 'id' | 'catalogueId' | 'sellerId' | 'undoes' | 'fileName' | 'counts'>

/** Whether anything changed. */
export const isAnyChanged = ({ catalogue, items, annotations, whiteList }: ChangeCounts): boolean =>
  catalogue !== 'unchanged' ||
  [items, annotations, whiteList].some((part) => Object.values(part).some((count) => count > 0))

/**
 * Records a change of a catalogue, which is locked, and forgets the former state of its previous
 * import: that can no longer be undone.
 */
export async function recordEntry({ tx, actor }: UnitOfWork, entry: NewEntry): Promise<void> {
  const ofCatalogue = eq(catalogueImports.catalogueId, entry.catalogueId)
  const earlier = tx.select({ id: catalogueImports.id }).from(catalogueImports).where(ofCatalogue)
  await tx.delete(catalogueImportRows).where(inArray(catalogueImportRows.importId, earlier))
  const { recordedAt } = catalogueImports
  // Truncated, so that it is not after the commit. The clock may have been set back.
  const next = sql`greatest(date_trunc('milliseconds', clock_timestamp()), max(${recordedAt}) + interval '1 ms')`
  // Read first: a distributed database inserts no results of subqueries.
  const [now] = await tx
    .select({ at: next.mapWith(recordedAt) })
    .from(catalogueImports)
    .where(ofCatalogue)
  await tx.insert(catalogueImports).values({
    ...entry,
    userType: actor.userType,
    userId: actor.userId ?? null,
    organization: actor.organization ?? null,
    recordedAt: now?.at as Date
  })
}

/** Deletes former states and entries of which the time has passed. */
export async function deleteExpiredHistory(db: Queryable): Promise<void> {
  const old = (age: typeof HISTORY_RETENTION) => lt(catalogueImports.recordedAt, sql`now() - ${age}`)
  const withoutUndo = db.select({ id: catalogueImports.id }).from(catalogueImports).where(old(UNDO_RETENTION))
  await db.delete(catalogueImportRows).where(inArray(catalogueImportRows.importId, withoutUndo))
  const undo = alias(catalogueImports, 'undo')
  const keptUndo = db
    .select({ id: undo.id })
    .from(undo)
    .where(and(eq(undo.undoes, catalogueImports.id), sql`${undo.recordedAt} >= now() - ${HISTORY_RETENTION}`))
  await db.delete(catalogueImports).where(and(old(HISTORY_RETENTION), notExists(keptUndo)))
}
