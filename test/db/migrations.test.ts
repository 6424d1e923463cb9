import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import t from 'tap'
import { isAnswering } from '../../src/db/connection.js'
import { migrate } from '../../src/db/migrate.js'
import { cloneDatabase, testApp } from '../fixtures/app.js'

t.test('the migrations make what the tables say', async (t) => {
  const folder = mkdtempSync('drizzle/check-')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync('drizzle/migrations', join(folder, 'migrations'), { recursive: true })
  const config = join(folder, 'drizzle.config.json')
  writeFileSync(
    config,
    JSON.stringify({ dialect: 'postgresql', schema: './src/*/tables.ts', out: `./${folder}/migrations` })
  )
  const before = readdirSync(join(folder, 'migrations'))
  await promisify(execFile)('npx', ['drizzle-kit', 'generate', '--config', config])
  t.same(readdirSync(join(folder, 'migrations')), before, 'run npm run db:generate and review what it writes')
})

t.test('many migrate at once, and again', async (t) => {
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

t.test('a lost connection is opened anew', async (t) => {
  const { app, sql, as } = await testApp(t)
  await isAnswering(app.db)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  for (let attempt = 0; attempt < 10; attempt++) {
    const answer = await as().get('/health/ready')
    if (answer.status === 200) return t.pass('ready again')
    t.match(answer, { status: 503, headers: { 'retry-after': '5' }, body: { code: 'database-unavailable' } })
  }
  t.fail('never ready again')
})

t.test('without the database nothing but that is said', async (t) => {
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
