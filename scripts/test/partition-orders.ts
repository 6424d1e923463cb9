import type { Sql } from 'postgres'

/** Tables of the order family, parents first, with the column that holds the order's id. */
const FAMILY = { orders: 'id', order_lines: 'order_id', trace_lines: 'order_id' } as const

/** Partitions of each table. */
export const PARTITIONS = 8

/**
 * Replaces the empty tables of the order family by tables partitioned by the hash of the order's
 * id. They stand in for tables that a cluster distributes by it: a statement that does not name its
 * order reaches all partitions.
 */
export async function partitionOrders(sql: Sql): Promise<void> {
  const tables = Object.keys(FAMILY)
  const constraints = await sql`
    select conrelid::regclass::text as table, conname as name, contype as type, pg_get_constraintdef(oid) as definition
    from pg_constraint where conrelid = any(${tables}::regclass[]) and contype in ('p', 'u', 'f')`
  const indexes = await sql`
    select pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = any(${tables}::regclass[])
      and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))`
  const triggers = await sql`
    select pg_get_triggerdef(oid) as definition from pg_trigger
    where tgrelid = any(${tables}::regclass[]) and not tgisinternal`
  await sql.begin(async (tx) => {
    for (const [table, column] of Object.entries(FAMILY)) {
      await tx.unsafe(`alter table ${table} rename to former_${table}`)
      await tx.unsafe(
        `create table ${table} (like former_${table} including all excluding indexes) partition by hash (${column})`
      )
      for (let part = 0; part < PARTITIONS; part++)
        await tx.unsafe(
          `create table ${table}_${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})`
        )
    }
    await tx.unsafe(`drop table ${tables.map((table) => `former_${table}`).join(', ')}`)
    for (const { table, name, definition } of [...constraints].sort((a, b) => order(a.type) - order(b.type)))
      await tx.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
    for (const { definition } of [...indexes, ...triggers]) await tx.unsafe(definition)
  })
}

/** Foreign keys need the keys that they refer to. */
const order = (type: string) => (type === 'f' ? 1 : 0)
