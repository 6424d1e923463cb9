import { sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/driver/database.js'

/**
 * Asserts that the role owns the tables, because no serving role removes or changes append-only
 * rows.
 * @throws Error that names the role to use.
 */
export async function assertOwner(db: Database): Promise<void> {
  const [row] = await db.execute<{ role: string; owner: string; isOwner: boolean }>(sql`
    select quote_ident(current_user) as role, quote_ident(pg_get_userbyid(relowner)) as owner,
      pg_has_role(relowner, 'USAGE') as "isOwner"
    from pg_class where oid = to_regclass('public.trace_lines')`)
  if (!row) throw new Error('The database has no tables of this program. Check DATABASE_URL.')
  if (!row.isOwner)
    throw new Error(
      `The role ${row.role} may not do this. Set DATABASE_URL to the owner of the tables, the role ${row.owner}.`
    )
}

/**
 * Permits that the owner removes trace lines with their orders, until the end of the transaction.
 */
export const permitRemoval = (tx: Transaction): PromiseLike<unknown> =>
  tx.execute(
    sql`select set_config('ssl_backend.operator_change', 'remove orders ' || pg_current_xact_id(), true)`
  )
