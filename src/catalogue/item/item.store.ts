import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { insertAll } from '../../db/sql/insert-all.js'
import { assignmentList, memberSqlTypes, rowArrays } from '../../db/sql/row-arrays.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import { recordEvents } from '../../ledger/insert.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { catalogueItems, catalogues, type ItemRow, itemIdentifiers } from '../tables.js'
import { catalogueVisibleTo, type FindShownItems } from '../visibility.js'
import { identifierRows } from './item-identifiers.js'

const selectItems = (db: Queryable, ids: readonly string[], condition?: SQL) =>
  db
    .select({ ...writtenColumns(catalogueItems), sellerId: catalogues.sellerId })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(and(inIds(catalogueItems.id, ids), condition))

/** Loads those of the items that the caller may see, in any order, with their sellers. */
export const loadVisibleItems = (db: Queryable, call: Call, ids: readonly string[]) =>
  selectItems(db, ids, catalogueVisibleTo({ db }, call))

/** Loads those of the items that the caller may see, or that another module shows to the caller. */
export async function loadReadableItems(
  ports: Ports,
  call: Call,
  ids: readonly string[],
  findShown: FindShownItems
) {
  const visible = await loadVisibleItems(ports.db, call, ids)
  const found = new Set(visible.map(({ id }) => id))
  const missing = ids.filter((id) => !found.has(id))
  const shown = missing.length > 0 ? await findShown(ports, call, missing) : []
  return shown.length > 0 ? [...visible, ...(await selectItems(ports.db, shown))] : visible
}

/**
 * Locks an item that the caller may see until the transaction ends. The lock does not block new
 * references to the item, such as order lines.
 */
export const lockItem = ({ tx, call }: UnitOfWork, id: string) =>
  loadVisibleItems(tx, call, [id]).for('no key update', { of: catalogueItems })

/** Inserts items and their identifiers, with their events. */
export async function saveNewItems(
  work: UnitOfWork,
  rows: readonly Omit<ItemRow, 'eventCount' | 'withdrawnAt'>[]
): Promise<void> {
  const counted = rows.map((row) => ({ ...row, eventCount: 1 }))
  await insertAll(work.tx, catalogueItems, counted)
  await insertAll(work.tx, itemIdentifiers, rows.flatMap(identifierRows))
  await recordItemEvents(work, 'created', counted)
}

/** Records an event of each written item. */
const recordItemEvents = (
  work: UnitOfWork,
  change: 'created' | 'changed',
  rows: readonly Pick<ItemRow, 'id' | 'catalogueId' | 'status' | 'eventCount'>[],
  statuses: ReadonlyMap<string, string> = new Map()
): Promise<void> =>
  recordEvents(
    work,
    rows.map(({ id, catalogueId, status, eventCount }) => ({
      type: `catalogue-item.${change}` as const,
      change,
      subjectId: id,
      ownerId: catalogueId,
      sequence: eventCount,
      oldStatus: statuses.get(id) ?? null,
      newStatus: status
    }))
  )

/**
 * Updates items, whose rows or catalogue the transaction has locked, and their identifiers, with
 * their events. It sends one statement per table, regardless of the number of items.
 * @param statuses former statuses by the ids of items.
 */
export async function updateItems(
  work: UnitOfWork,
  changed: readonly ItemRow[],
  statuses: ReadonlyMap<string, string>
): Promise<void> {
  if (changed.length === 0) return
  const { tx } = work
  const rows = changed.map((row) => ({ ...row, eventCount: row.eventCount + 1 }))
  await tx.execute(
    sql`update ${catalogueItems} set ${assignmentList(catalogueItems)} from ${rowArrays(memberSqlTypes(catalogueItems), rows)} where catalogue_items.id = r.id`
  )
  await tx.delete(itemIdentifiers).where(
    inIds(
      itemIdentifiers.itemId,
      rows.map(({ id }) => id)
    )
  )
  await insertAll(tx, itemIdentifiers, rows.flatMap(identifierRows))
  await recordItemEvents(work, 'changed', rows, statuses)
}

/**
 * Locks catalogues against changes until the transaction ends, and returns their sellers by id.
 * Locks in the order of ids to avoid deadlocks.
 */
export async function lockCatalogues(
  { tx }: UnitOfWork,
  ids: readonly string[]
): Promise<Map<string, string>> {
  const rows = await tx
    .select({ id: catalogues.id, sellerId: catalogues.sellerId })
    .from(catalogues)
    .where(inIds(catalogues.id, ids))
    .orderBy(asc(catalogues.id))
    .for('share')
  return new Map(rows.map((row) => [row.id, row.sellerId]))
}
