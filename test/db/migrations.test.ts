import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql as drizzleSql } from 'drizzle-orm'
import postgres from 'postgres'
import t from 'tap'
import { pingDatabase } from '../../src/db/driver/database.js'
import { migrate } from '../../src/db/migrate.js'
import { sharedSecret } from '../../src/db/secret.js'
import { newId } from '../../src/db/unit-of-work.js'
import { cloneDatabase, testApp } from '../fixtures/app.js'
import { formerHash } from '../fixtures/audit/rows.js'
import { databaseAfter } from '../fixtures/database-after.js'

t.test('the migrations create the declared tables', async (t) => {
  const folder = mkdtempSync('drizzle/check-')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync('drizzle/migrations', join(folder, 'migrations'), { recursive: true })
  const config = join(folder, 'drizzle.config.json')
  writeFileSync(
    config,
    JSON.stringify({ dialect: 'postgresql', schema: './src/**/tables.ts', out: `./${folder}/migrations` })
  )
  const before = readdirSync(join(folder, 'migrations'))
  await promisify(execFile)('npx', ['drizzle-kit', 'generate', '--config', config])
  t.same(readdirSync(join(folder, 'migrations')), before, 'run npm run db:generate and review its output')
})

t.test('concurrent and repeated migrations succeed', async (t) => {
  const url = await cloneDatabase(t, 'template0')
  await Promise.all(Array.from({ length: 5 }, () => migrate(url)))
  await migrate(url)
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select count(*)::int as n from drizzle.__drizzle_migrations`
  t.equal(row?.n, readdirSync('drizzle/migrations').filter((file) => file.endsWith('.sql')).length)
  await sql.end({ timeout: 5 })
})

t.test('a database of another version is refused', async (t) => {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 1 })
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the future', 99999999999999)`
  await sql.end({ timeout: 5 })
  await t.rejects(migrate(url), { message: /another version of this program/ })
})

t.test('PostgreSQL 15 is the oldest supported version', async (t) => {
  for (const [version, isTaken] of [
    ['149999', false],
    ['150000', true]
  ] as const) {
    const url = await cloneDatabase(t)
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    // A function that shadows the one of PostgreSQL.
    await sql.unsafe(`
      create schema old;
      create function old.current_setting(text) returns text language sql as $$ select '${version}' $$;
      do $$ begin execute format('alter database %I set search_path = old, pg_catalog, public', current_database()); end $$`)
    await sql.end({ timeout: 5 })
    if (isTaken) await migrate(url)
    else await t.rejects(migrate(url), { message: /^PostgreSQL 15 or newer is required. This is PostgreSQL/ })
  }
})

t.test('a lost connection is reopened', async (t) => {
  const { app, sql, as } = await testApp(t, { REQUEST_TIMEOUT: '20000' })
  await pingDatabase(app.db)
  const settings = await app.db.execute(
    drizzleSql`select current_setting('statement_timeout') as timeout, current_setting('application_name') as name`
  )
  t.same([...settings], [{ timeout: '25s', name: 'ssl-backend' }], 'a quarter more than a request has')
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  for (let attempt = 0; attempt < 10; attempt++) {
    const response = await as().get('/health/ready')
    if (response.status === 200) return t.pass('ready again')
    t.match(response, {
      status: 503,
      headers: { 'retry-after': '5' },
      body: { code: 'database-unavailable' }
    })
  }
  t.fail('never ready again')
})

t.test('all instances on a database share its secrets', async (t) => {
  const { app } = await testApp(t)
  const keys = await Promise.all(Array.from({ length: 5 }, () => sharedSecret(app.db, 'shared')))
  for (const key of keys) t.same(Buffer.from(key), Buffer.from(keys[0] ?? []))
  t.equal(keys[0]?.length, 32)
  t.notSame(Buffer.from(await sharedSecret(app.db, 'other')), Buffer.from(keys[0] ?? []))
})

t.test('without the database every request reports the outage', async (t) => {
  const { app, sql, as } = await testApp(t)
  await sql`select 1`
  const [{ name } = { name: '' }] = await sql`select current_database() as name`
  const admin = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1 })
  t.teardown(() => admin.end({ timeout: 5 }))
  await admin.unsafe(`alter database ${name} allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const away = { status: 503, headers: { 'retry-after': '5' }, body: { code: 'database-unavailable' } }
  await as().get('/health/ready')
  t.match(await as().get('/health/ready'), away)
  t.match(
    await as('AdministrativeClerk').get('/ssl-order/v1/party/01a1fd78-8070-733a-b409-86d8293d59aa'),
    away
  )
  t.equal((await as().get('/health/live')).status, 200)
  await admin.unsafe(`alter database ${name} allow_connections true`)
  t.equal((await as().get('/health/ready')).status, 200)
  t.ok(app)
})

t.test('older black list entries get the organization of their audit record', async (t) => {
  const url = await databaseAfter(t, 9)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const key = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + 200) % 256))
  await sql`insert into secrets (name, value) values ('audit', ${key})`
  const [party, list, item] = [newId(), newId(), newId()]
  await sql`insert into parties (id, allowed_roles, name, organization, created_at)
    values (${party}, '{SELLER}', 'S', 'o', now())`
  await sql`insert into catalogues (id, identifiers, seller_id, name, status, created_at)
    values (${list}, '[]', ${party}, 'C', 'ACTIVE', now())`
  await sql`insert into catalogue_items (id, catalogue_id, type, identifiers, name, status, service_type, search_text, created_at)
    values (${item}, ${list}, 'Service', '[]', 'I', 'AVAILABLE', 'REPAIR', '', now())`
  const made = Date.parse('2026-05-01T12:00:00.123Z')
  const patientOf = (name: string) => `https://fhir.example/Patient/${name}`
  const entry = (name: string) => sql`
    insert into black_list_entries (id, patient, item_id, created_at)
    values (${newId()}, ${patientOf(name)}, ${item}, ${new Date(made)})`
  const record = (
    recorded: string,
    organization: string | null,
    { after = 4, operation = 'createBlackList', problem = null as string | null } = {}
  ) => sql`
    insert into audit_events
      (id, recorded, request_id, operation, interaction, problem, user_type, organization, patients, orders)
    values (${newId()}, ${new Date(made + after)}, 'r', ${operation}, 'create', ${problem},
      'MonitoringResponsible', ${organization}, ${[recorded]}, ${[null] as unknown as string[]})`
  const [a, b] = ['https://fhir.example/Organization/a', 'https://fhir.example/Organization/b']
  const hashOf = (name: string) => formerHash(key, patientOf(name))
  const cases: [name: string, wanted: string | null, records: () => Promise<unknown>[]][] = [
    ['hashed', a, () => [record(hashOf('hashed'), a)]],
    ['plain', b, () => [record(patientOf('plain'), b)]],
    ['at-once', a, () => [record(hashOf('at-once'), a, { after: 0 })]],
    ['slashed', a, () => [record(hashOf('slashed'), `${a}/`)]],
    ['æøå', a, () => [record(hashOf('æøå'), a)]],
    ['twice', a, () => [record(hashOf('twice'), a), record(hashOf('twice'), a, { after: 900 })]],
    ['earlier', a, () => [record(hashOf('earlier'), b, { after: -1 }), record(hashOf('earlier'), a)]],
    ['later', a, () => [record(hashOf('later'), a), record(hashOf('later'), b, { after: 60_000 })]],
    [
      'refused',
      a,
      () => [record(hashOf('refused'), a), record(hashOf('refused'), b, { problem: 'duplicate-entry' })]
    ],
    ['read', a, () => [record(hashOf('read'), a), record(hashOf('read'), b, { operation: 'getBlackList' })]],
    ['several', null, () => [record(hashOf('several'), a), record(hashOf('several'), b, { after: 900 })]],
    ['nobody', null, () => [record(hashOf('nobody'), null), record(hashOf('nobody'), b, { after: 900 })]],
    ['unrecorded', null, () => []],
    ['of-another', null, () => [record(hashOf('another'), a)]]
  ]
  for (const [name, , records] of cases) {
    await entry(name)
    await Promise.all(records())
  }
  await migrate(url)
  const rows = await sql`select patient, organization from black_list_entries`
  const found = Object.fromEntries(rows.map((row) => [row.patient, row.organization]))
  for (const [name, wanted] of cases) t.equal(found[patientOf(name)], wanted, name)
  await t.rejects(
    sql`insert into black_list_entries (id, patient, item_id, created_at)
    values (${newId()}, ${patientOf('unrecorded')}, ${item}, now())`,
    { code: '23505' },
    'an entry without organization is unique too'
  )
  const [{ registered_by: registeredBy } = { registered_by: '' }] =
    await sql`select registered_by from parties`
  t.equal(registeredBy, null, 'the registrant of an older party is unknown')
  await sql.end({ timeout: 5 })
})
