import { pipeline } from 'node:stream/promises'
import postgres, { type Sql } from 'postgres'

/**
 * Copies all rows of the tables, and the values of the sequences, of one database to those of
 * another with the same schema, which may be of another major version. No trigger runs. Logs the
 * number of rows of each table.
 * @throws Error if a table is missing in the other database, or has another number of rows there.
 */
export async function copyTables(
  fromUrl: string,
  toUrl: string,
  log: (message: string) => void
): Promise<void> {
  const open = (url: string) =>
    postgres(url, {
      max: 1,
      fetch_types: false,
      onnotice: () => {},
      // Triggers and foreign keys were checked when the rows were written.
      connection: { session_replication_role: 'replica' }
    })
  const [from, to] = [open(fromUrl), open(toUrl)]
  try {
    const tables = await tablesOf(from)
    const known = new Set(await tablesOf(to))
    const unknown = tables.filter((table) => !known.has(table))
    if (unknown.length > 0)
      throw new Error(
        `These tables are not of this program, and would be lost: ${unknown.join(', ')}. Drop them first.`
      )
    for (const table of tables) log(`${table}: ${await copyTable(from, to, table)} rows`)
    await copySequences(from, to)
  } finally {
    await Promise.all([from, to].map((sql) => sql.end({ timeout: 5 })))
  }
}

/** Tables, of which some are partitioned, without their partitions. */
async function tablesOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`
  return rows.map(({ name }) => name)
}

async function copyTable(from: Sql, to: Sql, table: string): Promise<number> {
  const columns = await to<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`
  const names = to(columns.map(({ name }) => name))
  const list = columns.map(({ name }) => `"${name}"`).join(', ')
  // Of a partitioned table only a query can be copied.
  const source = await from`copy (select ${from.unsafe(list)} from ${from(table)}) to stdout`.readable()
  await pipeline(source, await to`copy ${to(table)} (${names}) from stdin`.writable())
  // The driver leaves the connection paused where the end came while the stream was full
  // (porsager/postgres pull request 1016). Reading on resumes it.
  source._read(0)
  const [before, after] = [await countOf(from, table), await countOf(to, table)]
  if (before !== after) throw new Error(`${table} has ${before} rows, of which ${after} were copied.`)
  return after
}

/** Sets the sequences to the last values that those of the same names gave. */
async function copySequences(from: Sql, to: Sql): Promise<void> {
  const sequences = await from<{ name: string; last: string }[]>`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = 'public' and last_value is not null`
  for (const { name, last } of sequences) await to`select setval(${name}::regclass, ${last}::bigint)`
}

async function countOf(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::float8 as count from ${sql(table)}`
  return row?.count ?? 0
}
