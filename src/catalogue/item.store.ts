import { and, eq, getTableColumns } from 'drizzle-orm'
import type { Database } from '../db/connection.js'
import { insertAll } from '../db/insert-all.js'
import type { Work } from '../db/work.js'
import type { Actor } from '../platform/actor.js'
import { withinReach } from './own.js'
import { catalogueItems, catalogues, itemIdentifiers } from './tables.js'

export type ItemRow = typeof catalogueItems.$inferSelect

/** An item within the caller's reach, with the seller it belongs to. */
export async function loadItem(
  db: Database,
  actor: Actor,
  id: string
): Promise<(ItemRow & { sellerId: string }) | undefined> {
  const [row] = await db
    .select({ ...getTableColumns(catalogueItems), sellerId: catalogues.sellerId })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(and(eq(catalogueItems.id, id), withinReach(db, actor)))
  return row
}

/** Holds an item until the work ends; false when it is not there, or no longer within the caller's reach. */
export async function lockItem({ tx }: Work, actor: Actor, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: catalogueItems.id })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(and(eq(catalogueItems.id, id), withinReach(tx, actor)))
    .for('update', { of: catalogueItems })
  return rows.length > 0
}

/** Writes new items and their identifiers. */
export async function saveNewItems({ tx }: Work, rows: readonly ItemRow[]): Promise<void> {
  await insertAll(tx, catalogueItems, rows)
  await insertAll(tx, itemIdentifiers, rows.flatMap(identifierRows))
}

/** Writes an item, and its identifiers, in place of what was there. */
export async function updateItem(
  { tx }: Work,
  id: string,
  values: Omit<ItemRow, 'id' | 'createdAt'>
): Promise<void> {
  await tx.update(catalogueItems).set(values).where(eq(catalogueItems.id, id))
  await tx.delete(itemIdentifiers).where(eq(itemIdentifiers.itemId, id))
  await insertAll(tx, itemIdentifiers, identifierRows({ id, ...values }))
}

function identifierRows({
  id,
  catalogueId,
  identifiers
}: Pick<ItemRow, 'id' | 'catalogueId' | 'identifiers'>) {
  return identifiers.map(({ system, value }) => ({ catalogueId, system, value, itemId: id }))
}
