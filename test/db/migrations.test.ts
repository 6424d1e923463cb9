import { readdirSync } from 'node:fs'
import postgres from 'postgres'
import t from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { cloneDatabase } from '../fixtures/app.js'
import { moreMigrations } from '../fixtures/migrations.js'

t.test('concurrent and repeated migrations succeed', async (t) => {
  const url = await cloneDatabase(t, 'template0')
  await Promise.all(Array.from({ length: 5 }, () => migrate(url)))
  await migrate(url)
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select count(*)::int as n from drizzle.__drizzle_migrations`
  t.equal(row?.n, readdirSync('drizzle/migrations').filter((file) => file.endsWith('.sql')).length)
  await sql.end({ timeout: 5 })
})

t.test('rejects a database with another baseline, and says what to do', async (t) => {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 1 })
  await sql`update drizzle.__drizzle_migrations set hash = 'other'`
  await t.rejects(migrate(url), {
    message:
      /before version 1\.0\.0 .*remove the data folder \(DATA_DIR\).*create a new database and set DATABASE_URL/
  })
  const records = await sql`select hash from drizzle.__drizzle_migrations`
  t.same(records, [{ hash: 'other' }], 'nothing is migrated')
  await sql.end({ timeout: 5 })
})

t.test('a migration does not depend on the settings of the database for requests', async (t) => {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(`do $$ begin
    execute format('alter database %I set statement_timeout = 37500', current_database());
    execute format('alter database %I set default_transaction_isolation = ''serializable''', current_database());
  end $$`)
  const newer = `create table in_force as select current_setting('statement_timeout') as statement,
    current_setting('lock_timeout') as lock, current_setting('transaction_isolation') as isolation`
  await migrate(url, { folder: moreMigrations(t, newer) })
  const [inForce] = await sql`select * from in_force`
  t.same(inForce, { statement: '0', lock: '500ms', isolation: 'read committed' })
  await sql.end({ timeout: 5 })
})

t.test('PostgreSQL 15 is the oldest supported version', async (t) => {
  for (const [version, isTaken] of [
    ['149999', false],
    ['150000', true]
  ] as const) {
    const url = await cloneDatabase(t)
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    // This function shadows the function of PostgreSQL.
    await sql.unsafe(`
      create schema old;
      create function old.current_setting(text) returns text language sql as $$ select '${version}' $$;
      do $$ begin execute format('alter database %I set search_path = old, pg_catalog, public', current_database()); end $$`)
    await sql.end({ timeout: 5 })
    if (isTaken) await migrate(url)
    else await t.rejects(migrate(url), { message: /^PostgreSQL 15 or newer is required. This is PostgreSQL/ })
  }
})
