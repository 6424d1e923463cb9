import { getTableName, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import { openConnection } from './driver/connection.js'
import type { Queryable, Transaction } from './driver/database.js'
import { type MigrateOptions, migrate, prepareSchemaChange } from './migrate.js'

/**
 * Where a database distributed by Citus keeps the rows of a table: with `by`, each on the node of
 * its value in this column, with the rows of other tables by the same ids; as a `reference`, a copy
 * on every node; `local`, on the coordinator.
 */
export type Placement = { by: string } | 'reference' | 'local'

/** Tables with their placements, each after the tables that its foreign keys refer to. */
export type Placements = readonly (readonly [PgTable, Placement])[]

/** Whether Citus distributes tables of the database. */
export async function isDistributed(db: Queryable): Promise<boolean> {
  if (!(await hasCitus(db))) return false
  const distributed = await db.execute(sql`select from pg_dist_partition where partmethod = 'h' limit 1`)
  return distributed.length > 0
}

/** Whether all workers of a distributed database respond. */
export async function doWorkersRespond(db: Queryable): Promise<boolean> {
  const [row] = await db.execute<{ doAll: boolean }>(
    sql`select coalesce(bool_and(success), true) as "doAll" from run_command_on_workers('select 1')`
  )
  return row?.doAll ?? false
}

async function hasCitus(db: Queryable): Promise<boolean> {
  return (await db.execute(sql`select from pg_extension where extname = 'citus'`)).length > 0
}

/**
 * Migrates a database and distributes its tables over the nodes of a Citus cluster, all or none.
 * Tables that have their place already are left as they are.
 * @param url the coordinator.
 * @param options of the migration.
 * @returns a line for each table.
 * @throws Error with a message that tells what to do when the database has no Citus, or is not the
 *   coordinator.
 */
export async function distribute(
  url: string,
  placements: Placements,
  options: Partial<MigrateOptions> = {}
): Promise<string[]> {
  const connection = openConnection(url, { onnotice: () => {}, connect_timeout: 10 })
  try {
    const db = drizzle(connection as unknown as Sql)
    await assertCoordinator(db)
    await migrate(url, options)
    return await db.transaction((tx) => distributeAll(tx, placements))
  } finally {
    await connection.end()
  }
}

async function assertCoordinator(db: Queryable): Promise<void> {
  if (!(await hasCitus(db)))
    throw new Error(
      'The database has no extension citus. On the coordinator and each worker set shared_preload_libraries = citus, restart PostgreSQL and create the extension in this database. Then register the workers with citus_add_node.'
    )
  const [node] = await db.execute<{ isWorker: boolean; nodes: number }>(sql`
    select (select groupid <> 0 from pg_dist_local_group) as "isWorker",
      (select count(*)::int from pg_dist_node) as nodes`)
  if (node?.isWorker) throw new Error('DATABASE_URL leads to a worker of Citus. Set it to the coordinator.')
  if (node?.nodes === 0)
    throw new Error(
      'No node of the cluster is registered. Run citus_set_coordinator_host and, for each worker, citus_add_node. Then run this again.'
    )
}

async function distributeAll(tx: Transaction, placements: Placements): Promise<string[]> {
  await prepareSchemaChange(tx)
  // The triggers raise an error for a row or a statement, and read and write nothing.
  await tx.execute(sql`set local citus.enable_unsafe_triggers = on`)
  const types = await tableTypes(tx)
  const typeOf = (placement: Placement) => (typeof placement === 'object' ? 'distributed' : placement)
  const missing = placements.filter(
    ([table, placement]) => placement !== 'local' && types.get(getTableName(table)) !== typeOf(placement)
  )
  const distributedOf = (tables: Placements) =>
    tables.flatMap(([table, placement]) =>
      typeof placement === 'object' ? [{ name: getTableName(table), by: placement.by }] : []
    )
  const distributed = distributedOf(missing)
  // Rows of one order are on one node in all tables, also in those that a later version adds.
  const first = distributedOf(placements)[0]?.name
  const keys = await foreignKeysBetween(
    tx,
    distributed.map(({ name }) => name)
  )
  for (const { table, name } of keys)
    await tx.execute(sql.raw(`alter table ${table} drop constraint ${name}`))
  for (const [table, placement] of missing)
    if (placement === 'reference')
      await tx.execute(sql`select create_reference_table(${getTableName(table)}::regclass)`)
  for (const { name, by } of distributed)
    await tx.execute(
      sql`select create_distributed_table(${name}::regclass, ${by}, colocate_with => ${name === first ? 'default' : first})`
    )
  for (const { table, name, definition } of keys)
    await tx.execute(sql.raw(`alter table ${table} add constraint ${name} ${definition}`))
  return placements.map(([table, placement]) =>
    describe(
      getTableName(table),
      placement,
      missing.some(([each]) => each === table)
    )
  )
}

function describe(name: string, placement: Placement, isNew: boolean): string {
  if (placement === 'local') return `${name}: on the coordinator`
  const place = placement === 'reference' ? 'a copy on every node' : `distributed by ${placement.by}`
  return `${name}: ${place}${isNew ? '' : ', as before'}`
}

/** The types that Citus gives tables, by their names. A table that it does not know is missing. */
async function tableTypes(tx: Transaction): Promise<Map<string, string>> {
  const rows = await tx.execute<{ name: string; type: string }>(
    sql`select table_name::text as name, citus_table_type as type from citus_tables`
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}

/**
 * Foreign keys between tables that are about to be distributed: Citus distributes none of two
 * tables while a key leads from one that is not distributed to one that is.
 */
async function foreignKeysBetween(tx: Transaction, tables: readonly string[]) {
  const list = sql.param(`{${tables.join(',')}}`)
  return tx.execute<{ table: string; name: string; definition: string }>(sql`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and conrelid = any(${list}::text[]::regclass[]) and confrelid = any(${list}::text[]::regclass[])
    order by conrelid, conname`)
}
