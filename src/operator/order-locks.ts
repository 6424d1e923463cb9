import { type SQL, sql } from 'drizzle-orm'
import { parties } from '../agreement/tables.js'
import type { Transaction } from '../db/driver/database.js'

/** Below `deadlock_timeout`, so that PostgreSQL cancels no writer. */
const LOCK_TIMEOUT_MS = 500

/**
 * Locks the orders of some parties, then these parties, in the sequence of writers: a change locks
 * its order, and then the parties. Orders that were created in between are locked last. A change of
 * such an order may wait for a party. The wait for the lock of the order is therefore short, and
 * then releases the parties.
 * @param condition on `parties`.
 */
export async function lockOrdersOf(tx: Transaction, condition: SQL | undefined): Promise<void> {
  const found = await tx.select({ id: parties.id }).from(parties).where(condition)
  // A block takes no parameters.
  const ids = `any('{${found.map(({ id }) => id).join()}}'::uuid[])`
  const lockOrders = `perform from orders where buyer_id = ${ids} or seller_id = ${ids} order by id for no key update;`
  await tx.execute(
    sql.raw(`do $$ begin loop
      ${lockOrders}
      begin
        set local lock_timeout = ${LOCK_TIMEOUT_MS};
        perform from parties where id = ${ids} order by id for update;
        ${lockOrders}
        set local lock_timeout to default;
        return;
      exception when lock_not_available then
      end;
    end loop; end $$`)
  )
}
