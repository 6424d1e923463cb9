import { createHash } from 'node:crypto'
import { and, asc, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { insertAll } from '../../db/sql/insert-all.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import type { Actor } from '../../platform/auth/actor.js'
import type { Ports } from '../../ports.js'
import { catalogueItems, catalogues, itemIdentifiers } from '../tables.js'
import { catalogueVisibleTo } from '../visibility.js'

export type ItemRow = typeof catalogueItems.$inferSelect

/** An item within the caller's reach, with the seller it belongs to. */
export async function loadItem(
  ports: Pick<Ports, 'db' | 'today'>,
  actor: Actor,
  id: string
): Promise<(ItemRow & { sellerId: string }) | undefined> {
  const [row] = await ports.db
    .select({ ...getTableColumns(catalogueItems), sellerId: catalogues.sellerId })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(and(eq(catalogueItems.id, id), catalogueVisibleTo(ports, actor)))
  return row
}

/**
 * Holds an item until the work ends; false when it is not there, or no longer within the caller's reach. It can be referred to
 * meanwhile: order lines do not wait for it.
 */
export async function lockItem(
  { tx, actor }: UnitOfWork,
  ports: Pick<Ports, 'db' | 'today'>,
  id: string
): Promise<boolean> {
  const rows = await tx
    .select({ id: catalogueItems.id })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(and(eq(catalogueItems.id, id), catalogueVisibleTo(ports, actor)))
    .for('no key update', { of: catalogueItems })
  return rows.length > 0
}

/** Writes new items and their identifiers. */
export async function saveNewItems({ tx }: UnitOfWork, rows: readonly ItemRow[]): Promise<void> {
  await insertAll(tx, catalogueItems, rows)
  await insertAll(tx, itemIdentifiers, rows.flatMap(identifierRows))
}

/** Writes an item, and its identifiers, in place of what was there. */
export async function updateItem(
  { tx }: UnitOfWork,
  id: string,
  values: Omit<ItemRow, 'id' | 'createdAt'>
): Promise<void> {
  await tx.update(catalogueItems).set(values).where(eq(catalogueItems.id, id))
  await tx.delete(itemIdentifiers).where(eq(itemIdentifiers.itemId, id))
  await insertAll(tx, itemIdentifiers, identifierRows({ id, ...values }))
}

/** The catalogues of these ids, held as they are until the work ends, in one order so that no two works wait for each other. */
export async function holdCatalogues(
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

/** An identifier within its catalogue. */
export type NamedInCatalogue = Pick<typeof itemIdentifiers.$inferSelect, 'catalogueId' | 'digest'>

/** The identifiers that other items have already: those of the named ones, and perhaps one that is named in another of these catalogues. */
export async function takenIdentifiers(
  db: Queryable,
  named: readonly NamedInCatalogue[],
  except?: string
): Promise<NamedInCatalogue[]> {
  if (named.length === 0) return []
  const catalogueIds = named.map(({ catalogueId }) => catalogueId)
  const digests = named.map(({ digest }) => digest)
  return db
    .select({ catalogueId: itemIdentifiers.catalogueId, digest: itemIdentifiers.digest })
    .from(itemIdentifiers)
    .where(
      and(
        inIds(itemIdentifiers.catalogueId, catalogueIds),
        sql`${itemIdentifiers.digest} = any(${sql.param(digests)}::text[])`,
        except === undefined ? undefined : ne(itemIdentifiers.itemId, except)
      )
    )
}

/** Stands for an identifier in the index: system and value may be longer than an index takes. */
export const digestOf = ({ system, value }: { system: string; value: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([system, value]))
    .digest('base64')

export function identifierRows({
  id,
  catalogueId,
  identifiers
}: Pick<ItemRow, 'id' | 'catalogueId' | 'identifiers'>) {
  return identifiers.map((each) => ({ catalogueId, digest: digestOf(each), itemId: id }))
}
