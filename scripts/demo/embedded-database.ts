import postgres, { type TransactionSql } from 'postgres'
import { runningDatabase } from '../../src/embedded-postgres/index.js'
import type { Config } from '../../src/settings/config.js'
import { DemoError } from './client.js'

/** The URL of the embedded database of these settings, while its server runs. */
export const embeddedDatabase = async ({ database: { url, dataDir } }: Pick<Config, 'database'>) =>
  url === undefined ? runningDatabase(dataDir) : undefined

/**
 * Deletes all rows of the embedded database, while its server runs.
 * @throws DemoError if the settings name another database, or the server does not run.
 */
export async function deleteData(config: Pick<Config, 'database'>): Promise<void> {
  const { url, dataDir } = config.database
  if (url !== undefined)
    throw new DemoError('--reset deletes the data of the embedded database only. Unset DATABASE_URL.')
  const embedded = await embeddedDatabase(config)
  if (embedded === undefined)
    throw new DemoError(`No server runs on the data in ${dataDir}. Start it first: npm start`)
  await withoutTriggers(embedded, async (tx) => {
    const [found] = await tx`
      select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables
      from pg_tables where schemaname = 'public' and tablename <> 'secrets'`
    await tx.unsafe(`truncate ${found?.tables}`)
  })
}

/**
 * Replaces the id of a new resource by that of the examples, in every table of the database.
 * @returns whether the database has the resource. Otherwise the server uses another database.
 */
export const replaceId = (database: string, id: string, exampleId: string): Promise<boolean> =>
  withoutTriggers(database, async (tx) => {
    const columns = await tx`
      select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type = 'uuid'`
    let count = 0
    for (const { table_name: table, column_name: column } of columns) {
      const changed =
        await tx`update ${tx(table)} set ${tx(column)} = ${exampleId} where ${tx(column)} = ${id}`
      count += changed.count
    }
    return count > 0
  })

/** Runs a transaction without the triggers of append-only tables and foreign keys. */
async function withoutTriggers<T>(database: string, run: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const sql = postgres(database, { max: 1, onnotice: () => {} })
  try {
    return (await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      return run(tx)
    })) as T
  } finally {
    await sql.end()
  }
}
