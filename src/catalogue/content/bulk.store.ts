import { and, eq, getTableColumns, gt, isNull, ne, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { administeredPartyIds } from '../../agreement/visibility.js'
import type { Queryable, Transaction } from '../../db/driver/database.js'
import { inIds } from '../../db/sql/conditions.js'
import { insertAll } from '../../db/sql/insert-all.js'
import { assignmentList, memberTypes, rowArrays } from '../../db/sql/row-arrays.js'
import type { UnitOfWork } from '../../db/unit-of-work.js'
import { writtenColumns } from '../../db/written-columns.js'
import type { Call } from '../../platform/auth/call.js'
import { identifierRows, recordItemEvents } from '../item/item.store.js'
import {
  annotations,
  type CatalogueRow,
  catalogueItems,
  catalogues,
  type ItemRow,
  itemIdentifiers,
  whiteListEntries
} from '../tables.js'
import type { ItemReference } from './catalogue-content.js'
import type { ReferableItem } from './item-finder.js'

/** An item without its search text, which is derived from the rest. */
export type StoredItem = Omit<ItemRow, 'searchText'>

/** Items per statement. */
const PAGE_ROWS = 1000

/**
 * Loads the items of a catalogue in order of creation, page by page: while the driver parses a
 * result it takes several times its size. Withdrawn ones are as if they had not been imported.
 */
export async function loadItems(tx: Transaction, catalogueId: string): Promise<StoredItem[]> {
  const { searchText: _, ...columns } = writtenColumns(catalogueItems)
  const items: StoredItem[] = []
  for (;;) {
    const last = items.at(-1)
    const page = await tx
      .select(columns)
      .from(catalogueItems)
      .where(
        and(
          eq(catalogueItems.catalogueId, catalogueId),
          isNull(catalogueItems.withdrawnAt),
          last ? gt(catalogueItems.id, last.id) : undefined
        )
      )
      .orderBy(catalogueItems.id)
      .limit(PAGE_ROWS)
    for (const item of page) items.push(item)
    if (page.length < PAGE_ROWS) return items
  }
}

/**
 * Loads the items in other catalogues of the seller that these names may refer to. Locks those
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
  const values = [...new Set(names.map(({ value }) => value))]
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
          where btrim(each ->> 'value') = any(${sql.param(values)}::text[])))`
      )
    )
    .for('share', { of: catalogues })
}

/** SQL condition: the buyer is one that the caller's organization administers. */
const administered = (db: Queryable, call: Call, buyerId: AnyPgColumn) =>
  sql`${buyerId} in ${administeredPartyIds(db, call)}`

/** Annotations by buyers that the caller's organization administers on items of a catalogue. */
export const loadAnnotations = (db: Queryable, catalogueId: string, call: Call) =>
  db
    .select(writtenColumns(annotations))
    .from(annotations)
    .innerJoin(catalogueItems, eq(catalogueItems.id, annotations.itemId))
    .where(and(eq(catalogueItems.catalogueId, catalogueId), administered(db, call, annotations.buyerId)))
    .orderBy(annotations.id)

/**
 * Entries by buyers that the caller's organization administers for items of a catalogue, in order
 * of creation.
 */
export const loadWhiteList = (db: Queryable, catalogueId: string, call: Call) =>
  db
    .select(getTableColumns(whiteListEntries))
    .from(whiteListEntries)
    .innerJoin(catalogueItems, eq(catalogueItems.id, whiteListEntries.itemId))
    .where(and(eq(catalogueItems.catalogueId, catalogueId), administered(db, call, whiteListEntries.buyerId)))
    .orderBy(whiteListEntries.id)

/**
 * Updates items of a locked catalogue with one statement per table, regardless of their number,
 * with their events.
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
    sql`update ${catalogueItems} set ${assignmentList(catalogueItems)} from ${rowArrays(memberTypes(catalogueItems), rows)} where catalogue_items.id = r.id`
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
