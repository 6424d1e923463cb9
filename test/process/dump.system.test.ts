import { readFileSync, statSync, writeFileSync } from 'node:fs'
import postgres from 'postgres'
import t from 'tap'
import { commandsIn, debianPostgres, skipDebianPostgres } from '../fixtures/debian-postgres.js'
import { playDemo, runCommand } from '../fixtures/run-command.js'
import { readyServer } from '../fixtures/server.js'

/** All rows of the program's tables, as text in order. */
async function rowsIn(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1 })
  const tables = await sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition order by 1`
  const rows: string[] = []
  for (const { name } of tables)
    for (const { row } of await sql`select r::text as row from ${sql(name)} r order by 1`)
      rows.push(`${name} ${row}`)
  await sql.end()
  return rows
}

const patient = { EVENT_LOOP_DELAY_LIMIT: '0' }

/**
 * The objects that a dump must keep in addition to rows: partitions, triggers, indexes, functions
 * and constraints.
 */
async function schemaIn(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1 })
  const query = sql`
    select 'partition ' || c.relname || ' ' || pg_get_expr(relpartbound, c.oid) as line from pg_class c
      where relispartition and relkind = 'r'
    union all select pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_constraintdef(oid) || conrelid::regclass::text from pg_constraint where conrelid <> 0
      and connamespace = 'public'::regnamespace
    union all select 'owner ' || proname || ' ' || proowner::regrole::text from pg_proc where prosecdef
    union all select 'extension ' || extname from pg_extension
    union all select 'owner ' || relname || ' ' || relowner::regrole::text from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    union all select 'right ' || table_name || ' ' || privilege_type from information_schema.role_table_grants
      where grantee = 'ssl_server'
    order by 1`
  const rows = await query.finally(() => sql.end())
  return rows.map(({ line }) => line)
}

t.test(
  'a dump is restored with both roles, and a server runs on it',
  { skip: skipDebianPostgres },
  async (t) => {
    const [source, target] = [await debianPostgres(t), await debianPostgres(t)]
    const [dump, restore] = commandsIn('docs/operations/backup.md', '## Dump')
    const migrate = (url: string) =>
      runCommand(t, { DATABASE_URL: url, DATABASE_SERVER_ROLE: 'ssl_server' }, 'migrate')

    await source.start()
    await source.shell('createdb ssl && psql --dbname=ssl --file=deploy/postgres/roles.sql')
    t.equal((await migrate(source.url('ssl_owner'))).code, 0)
    const server = await readyServer(t, { ...patient, DATABASE_URL: source.url('ssl_server') })
    await playDemo(t, server.url)
    const before = { rows: await rowsIn(source.url()), schema: await schemaIn(source.url()) }
    t.ok(before.rows.length > 50)
    await source.shell(dump ?? '')
    t.equal(await server.stop(), 0)

    await target.start()
    const file = source.here('/backup/ssl.dump')
    t.equal(statSync(file).mode & 0o777, 0o600, 'other accounts cannot read the patient data')
    writeFileSync(target.here('/backup/ssl.dump'), readFileSync(file))
    await target.shell(restore ?? '')
    t.match(await runCommand(t, { DATABASE_URL: target.url('ssl_server') }), {
      code: 1,
      output: /permission denied|may not migrate/
    })
    t.match(await migrate(target.url('ssl_owner')), { code: 0 })
    t.same(await rowsIn(target.url()), before.rows)
    t.same(await schemaIn(target.url()), before.schema)
    const restored = await readyServer(t, { ...patient, DATABASE_URL: target.url('ssl_server') })
    t.match(await playDemo(t, restored.url), { created: 0 })
    t.equal(await restored.stop(), 0)
  }
)
