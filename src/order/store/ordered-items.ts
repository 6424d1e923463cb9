import { type SQL, sql } from 'drizzle-orm'
import type { ItemVersion } from '../../catalogue/orderability.js'
import { catalogueItems } from '../../catalogue/tables.js'
import type { Transaction } from '../../db/driver/database.js'
import { rowArrays, rowParameters } from '../../db/sql/row-arrays.js'

/*
 * An order is decided without a lock on its items. When it is saved they must be as they were: the
 * lock of a foreign key lets an order begin to refer to an item while the undo of an import, which
 * has looked for such orders, makes the item unavailable.
 */

const types = { orderId: 'uuid', itemId: 'uuid', eventCount: 'integer' } as const

/** A condition that items are unchanged, as parts of a statement that saves orders. */
interface OrderedItems {
  /** A table expression that locks the unchanged items, until the transaction ends. */
  lockedItems: SQL
  /** Continues a condition: all items of the order are locked. */
  areLockedFor: (orderId: SQL) => SQL
  fill(
    values: Record<string, unknown>,
    writes: readonly { order: { id: string }; items: readonly ItemVersion[] }[]
  ): void
}

/**
 * PostgreSQL reads an item again when its lock is gone, so one that changed meanwhile is not found.
 * It does not wait for the lock: the order is decided again instead.
 */
export function orderedItems(): OrderedItems {
  const rows = rowParameters('items', types)
  return {
    lockedItems: sql`, locked_items as (
      select r."orderId", item.id from ${rows.from} join ${catalogueItems} item
        on item.id = r."itemId" and item.event_count = r."eventCount"
      for key share of item skip locked
    )`,
    areLockedFor: (orderId) => sql`and (select count(*) from ${rows.from} where r."orderId" = ${orderId})
      = (select count(*) from locked_items where locked_items."orderId" = ${orderId})`,
    fill: (values, writes) =>
      rows.fill(
        values,
        writes.flatMap(({ order, items }) => items.map((item) => ({ ...item, orderId: order.id })))
      )
  }
}

/**
 * Locks items in the transaction that inserts an order of them. Returns false when one of them has
 * changed or is locked.
 */
export async function lockItems(tx: Transaction, items: readonly ItemVersion[]): Promise<boolean> {
  const locked = await tx.execute(sql`
    select item.id from ${rowArrays({ itemId: 'uuid', eventCount: 'integer' }, items)}
    join ${catalogueItems} item on item.id = r."itemId" and item.event_count = r."eventCount"
    for key share of item skip locked`)
  return locked.length === items.length
}
