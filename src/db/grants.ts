import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Queryable } from './driver/database.js'

export type Privilege = 'select' | 'insert' | 'update' | 'delete'

export type TableRights = readonly (readonly [PgTable, readonly Privilege[]])[]

export interface Grants {
  role: string
  tables: TableRights
}

/**
 * Grants the role these rights on tables, the right to read the record of migrations, and the right
 * to call functions that run as their owner. Revokes all other rights.
 */
export async function grantRights(tx: Queryable, { role, tables }: Grants): Promise<void> {
  const grantee = sql.identifier(role)
  for (const name of await ownTables(tx)) await tx.execute(sql`revoke all on ${name} from ${grantee}`)
  for (const [table, privileges] of tables)
    await tx.execute(
      sql`grant ${sql.raw(privileges.join(', '))} on ${sql.identifier(getTableName(table))} to ${grantee}`
    )
  for (const name of await ownersFunctions(tx)) {
    await tx.execute(sql`revoke all on function ${name} from public`)
    await tx.execute(sql`grant execute on function ${name} to ${grantee}`)
  }
  await tx.execute(sql`grant usage on all sequences in schema public to ${grantee}`)
  await tx.execute(sql`grant usage on schema public, drizzle to ${grantee}`)
  await tx.execute(sql`grant select on drizzle.__drizzle_migrations to ${grantee}`)
}

/** Tables of this role, with their partitions. An extension may have further tables. */
const ownTables = (tx: Queryable): Promise<SQL[]> =>
  names(
    tx,
    sql`select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and pg_has_role(relowner, 'USAGE')`
  )

/** Functions of this role that run with its rights. */
const ownersFunctions = (tx: Queryable): Promise<SQL[]> =>
  names(
    tx,
    sql`select oid::regprocedure::text as name from pg_proc
      where pronamespace = 'public'::regnamespace and prosecdef and pg_has_role(proowner, 'USAGE')`
  )

async function names(tx: Queryable, query: SQL): Promise<SQL[]> {
  const rows = await tx.execute<{ name: string }>(query)
  return rows.map(({ name }) => sql.raw(name))
}
