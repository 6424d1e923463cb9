import { and, eq, getTableColumns, inArray, lt, notExists, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { columnList } from '../../db/sql/row-arrays.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { catalogueItems, catalogues } from '../tables.js'
import {
  type ChangeCounts,
  catalogueImportRows,
  catalogueImports,
  type HistoryRow,
  type ImportedPart
} from './tables.js'

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
  await tx.insert(catalogueImports).values({
    ...entry,
    userType: actor.userType,
    userId: actor.userId ?? null,
    organization: actor.organization ?? null,
    // Truncated, so that it is not after the commit. The clock may have been set back.
    recordedAt: sql`greatest(date_trunc('milliseconds', clock_timestamp()), (
      select max(recorded_at) + interval '1 ms' from catalogue_imports where catalogue_id = ${entry.catalogueId}))`
  })
}

/** Keeps the state of items that the import is about to change. It does not leave the database. */
export const keepFormerItems = (tx: Transaction, importId: string, ids: readonly string[]) =>
  tx.execute(sql`
    insert into ${catalogueImportRows} (import_id, number, part, row_ids, former)
    select ${importId}, ${nextNumber(importId)}, 'item', array_agg(i.id), json_agg(i)
    from (select ${keptItemColumns} from ${catalogueItems} where ${inIds(catalogueItems.id, ids)}) i`)

/** The search text is derived from the rest. */
const keptItemColumns = sql.join(
  Object.entries(getTableColumns(catalogueItems)).flatMap(([member, column]) =>
    member === 'searchText' ? [] : [sql`${column}`]
  ),
  sql`, `
)

/** Keeps the state of the catalogue that the import is about to change. */
export const keepFormerCatalogue = (tx: Transaction, importId: string, id: string) =>
  tx.execute(sql`
    insert into ${catalogueImportRows} (import_id, number, part, row_ids, former)
    select ${importId}, ${nextNumber(importId)}, 'catalogue', array[c.id], json_build_array(c)
    from (select ${columnList(catalogues)} from ${catalogues} where ${catalogues.id} = ${id}) c`)

/** Keeps the ids of rows that the import has created. */
export const keepCreated = (tx: Transaction, importId: string, part: ImportedPart, ids: readonly string[]) =>
  tx.execute(sql`
    insert into ${catalogueImportRows} (import_id, number, part, row_ids)
    select ${importId}, ${nextNumber(importId)}, ${part}::text, ${sql.param([...ids])}::uuid[]`)

const nextNumber = (importId: string) =>
  sql`(select count(*) from catalogue_import_rows where import_id = ${importId})`

/** Deletes former states and entries of which the time has passed. */
export async function deleteExpiredHistory(db: Database): Promise<void> {
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
