import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { administeredPartyIds } from '../../agreement/visibility.js'
import type { Queryable, Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { writtenColumns } from '../../db/written-columns.js'
import type { Call } from '../../platform/auth/call.js'
import { identifierForms } from '../../platform/text/numbers.js'
import {
  annotations,
  type CatalogueRow,
  catalogueItems,
  catalogues,
  type ItemRow,
  whiteListEntries
} from '../tables.js'
import type { ItemReference } from './catalogue-content.js'
import type { ReferableItem } from './item-finder.js'

/** An item without its search text, which is derived from the rest. */
export type StoredItem = Omit<ItemRow, 'searchText'>

/** Items of a statement. Drizzle makes their rows without yielding to the event loop. */
const ITEMS_AT_ONCE = 2000

/** Loads the items of a catalogue in order of creation, without withdrawn items. */
export async function loadItems(db: Queryable, catalogueId: string): Promise<StoredItem[]> {
  const { searchText: _, ...columns } = writtenColumns(catalogueItems)
  const { id, withdrawnAt } = catalogueItems
  const ids = await db
    .select({ id })
    .from(catalogueItems)
    .where(and(eq(catalogueItems.catalogueId, catalogueId), isNull(withdrawnAt)))
    .orderBy(id)
  const items: StoredItem[] = []
  for (let at = 0; at < ids.length; at += ITEMS_AT_ONCE) {
    const some = ids.slice(at, at + ITEMS_AT_ONCE).map((row) => row.id)
    items.push(...(await db.select(columns).from(catalogueItems).where(inIds(id, some)).orderBy(id)))
  }
  return items
}

/**
 * Loads the items in other catalogues of the seller that these names may refer to. Locks these
 * catalogues, so that they keep their seller until the transaction ends.
 * @param catalogue whose own items are not loaded.
 */
export async function loadItemsElsewhere(
  tx: Transaction,
  catalogue: CatalogueRow,
  names: readonly ItemReference[],
  idOf: (url: string) => string | undefined
): Promise<ReferableItem[]> {
  if (names.length === 0) return []
  const ids = names.flatMap(({ value }) => idOf(value) ?? [])
  const values = [...new Set(names.flatMap(({ value }) => identifierForms(value)))]
  return tx
    .select({ id: catalogueItems.id, type: catalogueItems.type, identifiers: catalogueItems.identifiers })
    .from(catalogueItems)
    .innerJoin(catalogues, eq(catalogues.id, catalogueItems.catalogueId))
    .where(
      and(
        eq(catalogues.sellerId, catalogue.sellerId),
        ne(catalogues.id, catalogue.id),
        sql`(${inIds(catalogueItems.id, ids)} or exists (
          select from jsonb_array_elements(${catalogueItems.identifiers}) as each
          where each ->> 'value' = any(${sql.param(values)}::text[])))`
      )
    )
    .for('share', { of: catalogues })
}

/**
 * SQL condition: the item is of the catalogue, and the caller's organization administers the buyer.
 */
const isOwnRow = (db: Queryable, catalogueId: string, call: Call, { itemId, buyerId }: BuyerColumns) =>
  and(
    sql`${itemId} in (
      select ${catalogueItems.id} from ${catalogueItems} where ${catalogueItems.catalogueId} = ${catalogueId})`,
    inArray(buyerId, administeredPartyIds(db, call))
  )

type BuyerColumns = Record<'itemId' | 'buyerId', AnyPgColumn>

/** Annotations by buyers that the caller's organization administers on items of a catalogue. */
export const loadAnnotations = (db: Queryable, catalogueId: string, call: Call) =>
  db
    .select(writtenColumns(annotations))
    .from(annotations)
    .where(isOwnRow(db, catalogueId, call, annotations))
    .orderBy(annotations.id)

/**
 * Entries by buyers that the caller's organization administers for items of a catalogue, in order
 * of creation.
 */
export const loadWhiteList = (db: Queryable, catalogueId: string, call: Call) =>
  db
    .select()
    .from(whiteListEntries)
    .where(isOwnRow(db, catalogueId, call, whiteListEntries))
    .orderBy(whiteListEntries.id)
