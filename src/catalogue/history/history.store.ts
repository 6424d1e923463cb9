import { and, eq, isNotNull, lt, notExists, type SQL, sql } from 'drizzle-orm'
import { alias, type PgTable } from 'drizzle-orm/pg-core'
import type { Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import { catalogueItems, catalogues } from '../tables.js'
import { catalogueImports, type HistoryRow, type ImportedIds } from './tables.js'

/** An import can be undone for this time. Afterwards the former state of its rows is deleted. */
const UNDO_RETENTION = sql`interval '30 days'`
/** Entries of the history are deleted after this time. */
const HISTORY_RETENTION = sql`interval '24 months'`

/** A new entry of the history, without its author and time. */
export type NewEntry = Pick<HistoryRow, 'id' | 'catalogueId' | 'sellerId' | 'undoes' | 'fileName' | 'counts'>

/**
 * Records a change of a locked catalogue, and deletes the former state of its previous import,
 * which can no longer be undone.
 * @param former the rows that an import is about to change, by {@link formerRows}.
 */
export async function recordEntry({ tx, call }: UnitOfWork, entry: NewEntry, former?: SQL): Promise<void> {
  const ofCatalogue = eq(catalogueImports.catalogueId, entry.catalogueId)
  await forgetFormerRows(tx, ofCatalogue)
  const { recordedAt } = catalogueImports
  // The time is truncated, so that it is not after the commit. The clock may have been set back.
  const next = sql`greatest(date_trunc('milliseconds', clock_timestamp()), max(${recordedAt}) + interval '1 ms')`
  await tx.insert(catalogueImports).values({
    ...entry,
    userType: call.caller.userType,
    userId: call.caller.userId ?? null,
    organization: call.caller.organization ?? null,
    recordedAt: sql`(select ${next} from ${catalogueImports} where ${ofCatalogue})`,
    former
  })
}

/** SQL for the present rows of a catalogue, which stay in the database. */
export const formerRows = (catalogueId: string, itemIds: readonly string[]): SQL => sql`jsonb_build_object(
  'catalogue', (${rowsOf(catalogues, eq(catalogues.id, catalogueId), sql`to_jsonb(r)`)}),
  'items', (${rowsOf(catalogueItems, inIds(catalogueItems.id, itemIds), sql`coalesce(jsonb_agg(r), '[]')`)}))`

/** SQL that selects rows as JSON, by the names of their members. */
function rowsOf(table: PgTable, condition: SQL | undefined, json: SQL): SQL {
  const members = Object.entries(writtenColumns(table)).map(
    ([member, column]) => sql`${column} as ${sql.identifier(member)}`
  )
  return sql`select ${json} from (select ${sql.join(members, sql`, `)} from ${table} where ${condition}) r`
}

/**
 * Stores the ids of the rows that an import has created, and the state of the catalogue after the
 * import.
 */
export const storeCreatedIds = (
  tx: Transaction,
  { id, catalogueId }: Pick<HistoryRow, 'id' | 'catalogueId'>,
  created: ImportedIds
) =>
  tx
    .update(catalogueImports)
    .set({ created, eventCount: eventCountOf(sql`${catalogueId}::uuid`) })
    .where(eq(catalogueImports.id, id))

/** SQL for the number of events of a catalogue and its items. */
export const eventCountOf = (catalogueId: SQL): SQL<number> => sql`(
  select c.event_count + coalesce((select sum(i.event_count) from catalogue_items i where i.catalogue_id = c.id), 0)
  from catalogues c where c.id = ${catalogueId})`

/** The revision of a locked catalogue with its items, for `If-Match` of an import. */
export async function contentRevision(tx: Transaction, catalogueId: string): Promise<string> {
  const [row] = await tx.execute<{ count: string }>(
    sql`select ${eventCountOf(sql`${catalogueId}::uuid`)} as count`
  )
  return String(row?.count)
}

/**
 * SQL condition: the entry is an import that can be undone if its catalogue has not changed since.
 */
export const isUndoable = sql<boolean>`(catalogue_imports.former is not null
  and catalogue_imports.recorded_at > now() - ${UNDO_RETENTION}
  and not exists (select from catalogue_imports later where later.catalogue_id = catalogue_imports.catalogue_id
    and later.recorded_at > catalogue_imports.recorded_at))`

const forgetFormerRows = (tx: Transaction, condition: SQL) =>
  tx
    .update(catalogueImports)
    .set({ former: null, created: null })
    .where(and(condition, isNotNull(catalogueImports.former)))

/** Key of an advisory lock. */
const CLEANING_LOCK = 3_518_072

/**
 * Deletes expired former states and entries in the transaction of an import, unless another import
 * deletes them at the same time.
 */
export async function deleteExpiredHistory(tx: Transaction): Promise<void> {
  const [lock] = await tx.execute(sql`select pg_try_advisory_xact_lock(${CLEANING_LOCK}) as "isTaken"`)
  if (!lock?.isTaken) return
  const old = (age: SQL) => lt(catalogueImports.recordedAt, sql`now() - ${age}`)
  await forgetFormerRows(tx, old(UNDO_RETENTION))
  const undo = alias(catalogueImports, 'undo')
  const keptUndo = tx
    .select({ id: undo.id })
    .from(undo)
    .where(and(eq(undo.undoes, catalogueImports.id), sql`${undo.recordedAt} >= now() - ${HISTORY_RETENTION}`))
  await tx.delete(catalogueImports).where(and(old(HISTORY_RETENTION), notExists(keptUndo)))
}
