import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import t, { type Test } from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { callersOf } from '../fixtures/callers.js'
import { runCommand } from '../fixtures/run-command.js'
import { readyServer, startServer } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'
import { orders, organization } from '../fixtures/world.js'

/** An empty database with the roles of `deploy/postgres`, under names of this test. */
async function databaseWithRoles(t: Test) {
  const url = await cloneDatabase(t, 'template0')
  const database = new URL(url).pathname.slice(1)
  const suffix = randomUUID().slice(0, 8)
  const names = { owner: `ssl_owner_${suffix}`, server: `ssl_server_${suffix}` }
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const text = readFileSync('deploy/postgres/roles.sql', 'utf8')
    .replaceAll('ssl_owner', names.owner)
    .replaceAll('ssl_server', names.server)
    .replaceAll(/(?<=on database |alter database )ssl\b/g, database)
  await sql.unsafe(text)
  for (const name of Object.values(names)) await sql.unsafe(`alter role ${name} password 'secret'`)
  const urlOf = (username: string) => Object.assign(new URL(url), { username, password: 'secret' }).href
  const urls = { owner: urlOf(names.owner), server: urlOf(names.server) }
  const as = (role: keyof typeof urls) => postgres(urls[role], { max: 1, onnotice: () => {} })
  const connections = { owner: as('owner'), server: as('server') }
  t.teardown(async () => {
    await Promise.all(Object.values(connections).map((each) => each.end()))
    await sql.unsafe(`reassign owned by ${names.owner} to current_user`)
    await sql.unsafe(`drop owned by ${names.owner}, ${names.server}`)
    await sql.end()
    const admin = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1 })
    await admin.unsafe(`drop role ${names.owner}, ${names.server}`)
    await admin.end()
  })
  return { sql, names, urls, ...connections }
}

t.test('one role migrates, another serves', async (t) => {
  const { sql, names, urls, owner, server } = await databaseWithRoles(t)
  const migrate = () =>
    runCommand(t, { DATABASE_URL: urls.owner, DATABASE_SERVER_ROLE: names.server }, 'migrate')
  const migrated = {
    code: 0,
    output: `The database is migrated. The role ${names.server} may serve it.\n`
  }

  t.test('the serving role does not start before the schema exists', async (t) => {
    t.match(await runCommand(t, { DATABASE_URL: urls.server }), {
      code: 1,
      output:
        /role ssl_server_\w+ may not migrate it\. Run node dist\/program\/main\.js migrate with the owner/
    })
  })

  t.test(
    'without DATABASE_SERVER_ROLE the start of the serving role reports the missing rights',
    async (t) => {
      t.equal((await runCommand(t, { DATABASE_URL: urls.owner }, 'migrate')).code, 0)
      t.match(await runCommand(t, { DATABASE_URL: urls.server }), {
        code: 1,
        output: /permission denied .*\n.*the role that serves in DATABASE_SERVER_ROLE/
      })
    }
  )

  t.test('migrate grants the serving role the rights that it needs', async (t) => {
    t.match(await migrate(), migrated)
    const program = await readyServer(t, { DATABASE_URL: urls.server })
    const party = { allowedRoles: ['BUYER'], name: 'a buyer', organization: organization('o') }
    await callersOf(program.url)('AdministrativeClerk').create(`${orders}/party`, party)
    t.equal(await program.stop(), 0)
  })

  t.test('the serving role changes neither the trace, the audit record nor the schema', async (t) => {
    const [{ partition } = { partition: '' }] =
      await sql`select max(inhrelid::regclass::text) as partition from pg_inherits where inhparent = 'audit_events'::regclass`
    for (const statement of [
      'alter table trace_lines disable trigger all',
      'alter table audit_events disable trigger user',
      "set session_replication_role = 'replica'",
      'delete from trace_lines',
      'update trace_lines set seq = 0',
      'truncate trace_lines',
      'delete from audit_events',
      'update audit_events set user_id = null',
      'delete from events',
      'update events set sequence = 2',
      `delete from ${partition}`,
      `truncate ${partition}`,
      `drop table ${partition}`,
      'drop table trace_lines',
      'create table mine (id int)',
      'create schema mine',
      'create temp table mine (id int)',
      'create or replace function refuse_trace_change() returns trigger language sql as $$ select 1 $$',
      'select lo_creat(-1)',
      'select lo_create(0)',
      "select lo_from_bytea(0, 'x')",
      'delete from orders',
      'delete from parties',
      'update secrets set value = value',
      'delete from drizzle.__drizzle_migrations',
      `set role ${names.owner}`
    ])
      await t.rejects(server.unsafe(statement), { code: '42501' }, statement)
  })

  t.test('only the serving role creates the partitions of the audit record', async (t) => {
    const partitions = async () =>
      (await sql`select from pg_inherits where inhparent = 'audit_events'::regclass`).length
    const before = await partitions()
    const [{ last } = { last: '' }] =
      await sql`select max(inhrelid::regclass::text) as last from pg_inherits where inhparent = 'audit_events'::regclass`
    await owner.unsafe(`drop table ${last}`)
    await server`select prepare_audit_partitions()`
    t.equal(await partitions(), before)
    const [row] =
      await sql`select has_function_privilege('pg_monitor', 'prepare_audit_partitions()', 'execute') as may`
    t.equal(row?.may, false)
  })

  t.test('a table of a later migration, and a surplus right', async (t) => {
    await owner`create table later (id int)`
    await t.rejects(server`select from later`, { code: '42501' })
    await owner.unsafe(`grant delete on trace_lines to ${names.server}`)
    t.match(await migrate(), migrated, 'migrate runs again')
    await t.rejects(server`delete from trace_lines`, { code: '42501' }, 'migrate takes it back')
  })

  t.test('the serving role does not start on an older schema', async (t) => {
    await owner`delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`
    t.match(await runCommand(t, { DATABASE_URL: urls.server }), {
      code: 1,
      output: /Run node dist\/program\/main\.js migrate/
    })
  })
})

t.test('SIGTERM ends a start that waits for another migration', async (t) => {
  const url = await cloneDatabase(t, 'template0')
  const sql = postgres(url, { max: 1 })
  await sql`select pg_advisory_lock(5417264)`
  const program = await startServer(t, { DATABASE_URL: url })
  await until(() => program.output().includes('the migration lock'))
  t.equal(await program.stop('SIGTERM'), 0)
  for (const line of program.output().trim().split('\n'))
    t.match(line, /^Waiting for \d+ s for the migration lock/, 'nothing but the wait is reported')
  await sql.end()
})
