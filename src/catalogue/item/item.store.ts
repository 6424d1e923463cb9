import { createHash } from 'node:crypto'
import { and, asc, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { insertAll } from '../../db/sql/insert-all.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import { recordEvents } from '../../ledger/insert.js'
import type { Call } from '../../platform/auth/call.js'
import type { Ports } from '../../ports.js'
import { catalogueItems, catalogues, type ItemRow, itemIdentifiers } from '../tables.js'
import { catalogueVisibleTo, type FindShownItems } from '../visibility.js'

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

/**
 * Records an event of each written item.
 * @param statuses former statuses by the ids of items.
 */
export const recordItemEvents = (
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

/** Replaces an item, which {@link lockItem} has locked, and its identifiers, with its event. */
export async function updateItem(
  work: UnitOfWork,
  id: string,
  values: Omit<ItemRow, 'id' | 'createdAt' | 'eventCount' | 'withdrawnAt'>,
  oldStatus: string
): Promise<void> {
  const { tx } = work
  const rows = await tx
    .update(catalogueItems)
    .set({ ...values, withdrawnAt: null, eventCount: sql`${catalogueItems.eventCount} + 1` })
    .where(eq(catalogueItems.id, id))
    .returning(writtenColumns(catalogueItems))
  await recordItemEvents(work, 'changed', rows, new Map([[id, oldStatus]]))
  await tx.delete(itemIdentifiers).where(eq(itemIdentifiers.itemId, id))
  await insertAll(tx, itemIdentifiers, identifierRows({ id, ...values }))
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

/** An identifier of an item within its catalogue. */
export type CatalogueIdentifier = Pick<typeof itemIdentifiers.$inferSelect, 'catalogueId' | 'digest'>

/**
 * The identifiers among these that stored items have. May return more: an identifier of another one
 * of these catalogues.
 * @param except id of the item to ignore.
 */
export async function takenIdentifiers(
  db: Queryable,
  requested: readonly CatalogueIdentifier[],
  except?: string
): Promise<(CatalogueIdentifier & { itemId: string })[]> {
  if (requested.length === 0) return []
  const catalogueIds = requested.map(({ catalogueId }) => catalogueId)
  const digests = requested.map(({ digest }) => digest)
  return db
    .select(getTableColumns(itemIdentifiers))
    .from(itemIdentifiers)
    .where(
      and(
        inIds(itemIdentifiers.catalogueId, catalogueIds),
        sql`${itemIdentifiers.digest} = any(${sql.param(digests)}::text[])`,
        except === undefined ? undefined : ne(itemIdentifiers.itemId, except)
      )
    )
}

/**
 * SHA-256 of an identifier for the index: system and value may exceed the maximum size of an index
 * row.
 */
export const identifierDigest = ({ system, value }: { system: string; value: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([system, value]))
    .digest('base64')

export function identifierRows({
  id,
  catalogueId,
  identifiers
}: Pick<ItemRow, 'id' | 'catalogueId' | 'identifiers'>) {
  return identifiers.map((each) => ({ catalogueId, digest: identifierDigest(each), itemId: id }))
}
