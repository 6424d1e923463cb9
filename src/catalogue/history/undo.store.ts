import { and, desc, eq, getTableColumns, gt, notInArray, type SQL, sql } from 'drizzle-orm'
import { administeredPartyIds } from '../../agreement/visibility.js'
import type { Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import type { Ports } from '../../ports.js'
import {
  annotations,
  catalogueItems,
  catalogues,
  type ItemRow,
  itemIdentifiers,
  whiteListEntries
} from '../tables.js'
import { catalogueVisibleTo } from '../visibility.js'
import type { WrittenIds } from './kept-rows.store.js'
import { catalogueImportRows, catalogueImports, type HistoryRow } from './tables.js'

/** Finds an import into a catalogue that the caller may change. */
export async function findEntry(
  { tx, actor }: UnitOfWork,
  ports: Pick<Ports, 'db' | 'today'>,
  id: string
): Promise<HistoryRow | undefined> {
  const [entry] = await tx
    .select(getTableColumns(catalogueImports))
    .from(catalogueImports)
    .innerJoin(catalogues, eq(catalogues.id, catalogueImports.catalogueId))
    .where(and(eq(catalogueImports.id, id), catalogueVisibleTo(ports, actor)))
  return entry
}

/** The last entry of the same catalogue after this one. */
export async function latestAfter(
  tx: Transaction,
  { catalogueId, recordedAt }: HistoryRow
): Promise<HistoryRow | undefined> {
  const [later] = await tx
    .select()
    .from(catalogueImports)
    .where(and(eq(catalogueImports.catalogueId, catalogueId), gt(catalogueImports.recordedAt, recordedAt)))
    .orderBy(desc(catalogueImports.recordedAt))
    .limit(1)
  return later
}

type LockedTable = typeof catalogueItems | typeof annotations | typeof whiteListEntries

/**
 * Locks those of the rows that nobody else has locked, until the transaction ends, and returns
 * their number. It does not wait, because who holds a row may wait for another one of them. While
 * it lasts, nothing can begin to refer to them.
 */
export async function lockRows(tx: Transaction, table: LockedTable, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const locked = await tx
    .select({ id: table.id })
    .from(table)
    .where(inIds(table.id, ids))
    .for('update', { skipLocked: true })
  return locked.length
}

/** Whether buyers that the caller's organization does not administer have any of these annotations
 * and entries. */
export async function areForeign({ tx, actor }: UnitOfWork, written: WrittenIds): Promise<boolean> {
  const own = administeredPartyIds(tx, actor)
  for (const [table, ids] of [
    [annotations, written.annotations],
    [whiteListEntries, written.whiteList]
  ] as const) {
    const foreign = await tx
      .select({ id: table.id })
      .from(table)
      .where(and(inIds(table.id, ids), notInArray(table.buyerId, own)))
      .limit(1)
    if (foreign.length > 0) return true
  }
  return false
}

/** Ids of the items of an import that changed since: each change counts an event. */
export async function itemsChangedSince(
  tx: Transaction,
  importId: string,
  { createdItems }: WrittenIds
): Promise<string[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    select i.id from ${catalogueItems} i left join (
      select (f ->> 'id')::uuid as id, (f ->> 'event_count')::int as event_count
      from ${catalogueImportRows} kept cross join lateral json_array_elements(kept.former) f
      where kept.import_id = ${importId} and kept.part = 'item'
    ) former on former.id = i.id
    where (former.id is not null or i.id = any(${sql.param(createdItems)}::uuid[]))
      and i.event_count <> coalesce(former.event_count, 0) + 1
    order by i.id`)
  return rows.map(({ id }) => id)
}

/** Whether all of these annotations exist as they were created. */
export async function areAnnotationsUnchanged(tx: Transaction, ids: readonly string[]): Promise<boolean> {
  const rows = await tx
    .select({ id: annotations.id })
    .from(annotations)
    .where(and(inIds(annotations.id, ids), eq(annotations.eventCount, 1)))
  return rows.length === ids.length
}

/** Whether all of these white list entries exist. */
export async function areEntriesListed(tx: Transaction, ids: readonly string[]): Promise<boolean> {
  const rows = await tx
    .select({ id: whiteListEntries.id })
    .from(whiteListEntries)
    .where(inIds(whiteListEntries.id, ids))
  return rows.length === ids.length
}

/** The items of a catalogue that its import did not write. */
export const otherItems = (tx: Transaction, catalogueId: string, written: WrittenIds): Promise<string[]> =>
  unwrittenItems(tx, eq(catalogueItems.catalogueId, catalogueId), written)

/** The services that relate to items that an import created, beside those that it wrote. */
export const servicesRelatedTo = (tx: Transaction, written: WrittenIds): Promise<string[]> =>
  unwrittenItems(tx, inIds(catalogueItems.relatedToId, written.createdItems), written)

async function unwrittenItems(
  tx: Transaction,
  condition: SQL,
  { createdItems, changedItems }: WrittenIds
): Promise<string[]> {
  const ids = sql.param([...createdItems, ...changedItems])
  const rows = await tx
    .select({ id: catalogueItems.id })
    .from(catalogueItems)
    .where(
      and(
        condition,
        sql`not exists (select from unnest(${ids}::uuid[]) written (id) where written.id = ${catalogueItems.id})`
      )
    )
    .orderBy(catalogueItems.id)
  return rows.map(({ id }) => id)
}

/** Loads some items as they are. */
export const loadPresentItems = (tx: Transaction, ids: readonly string[]): Promise<ItemRow[]> =>
  tx.select().from(catalogueItems).where(inIds(catalogueItems.id, ids))

/** Deletes the identifiers of items, which get their former ones again. */
export const deleteIdentifiers = (tx: Transaction, itemIds: readonly string[]) =>
  tx.delete(itemIdentifiers).where(inIds(itemIdentifiers.itemId, itemIds))
