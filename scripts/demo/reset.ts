import postgres from 'postgres'
import { runningDatabase } from '../../src/embedded-postgres/index.js'
import type { Config } from '../../src/settings/config.js'
import { DemoError } from './client.js'

/**
 * Deletes all rows of the embedded database, while its server runs.
 * @throws DemoError if the settings name another database, or the server does not run.
 */
export async function deleteData({ database: { url, dataDir } }: Pick<Config, 'database'>): Promise<void> {
  if (url !== undefined)
    throw new DemoError('--reset deletes the data of the embedded database only. Unset DATABASE_URL.')
  const embedded = await runningDatabase(dataDir)
  if (embedded === undefined)
    throw new DemoError(`No server runs on the data in ${dataDir}. Start it first: npm start`)
  const sql = postgres(embedded, { max: 1, onnotice: () => {} })
  try {
    const [found] = await sql`
      select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables
      from pg_tables where schemaname = 'public'`
    // Triggers keep the trace, the audit record and events from it.
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx.unsafe(`truncate ${found?.tables}`)
    })
  } finally {
    await sql.end()
  }
}
