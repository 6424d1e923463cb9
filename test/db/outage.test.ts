import { sql as drizzleSql } from 'drizzle-orm'
import postgres from 'postgres'
import t from 'tap'
import { pingDatabase } from '../../src/db/driver/database.js'
import { sharedSecret } from '../../src/db/shared-values.js'
import { testApp } from '../fixtures/app.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { orders } from '../fixtures/world.js'

const { app, sql, as, lines } = await testApp(t, { REQUEST_TIMEOUT: '20000' })
const away = { status: 503, headers: { 'retry-after': '5' }, body: { code: 'database-unavailable' } }

/** The error lines after this number of log lines. */
const errorsSince = (count: number) => lines.slice(count).filter((line) => line.includes('"level":50'))

t.test('a lost connection is reopened', async (t) => {
  await pingDatabase(app.db)
  const settings = await app.db.execute(
    drizzleSql`select current_setting('statement_timeout') as timeout, current_setting('application_name') as name`
  )
  t.same([...settings], [{ timeout: '25s', name: 'ssl-backend' }], 'a quarter more than a request has')
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  for (let attempt = 0; attempt < 10; attempt++) {
    const response = await as().get('/health/ready')
    if (response.status === 200) return t.pass('ready again')
    t.match(response, away)
  }
  t.fail('never ready again')
})

t.test('all instances on a database share its secrets', async (t) => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => sharedSecret(app.db, 'shared')))
  for (const key of keys) t.same(Buffer.from(key), Buffer.from(keys[0] ?? []))
  t.equal(keys[0]?.length, 32)
  t.notSame(Buffer.from(await sharedSecret(app.db, 'other')), Buffer.from(keys[0] ?? []))
})

t.test('without the database every request reports the outage', async (t) => {
  const [{ name } = { name: '' }] = await sql`select current_database() as name`
  const admin = postgres(process.env.TEST_DATABASE_URL ?? '', { max: 1 })
  t.teardown(() => admin.end({ timeout: 5 }))
  await admin.unsafe(`alter database ${name} allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  await as().get('/health/ready')
  const before = lines.length
  for (let probe = 0; probe < 3; probe++) t.match(await as().get('/health/ready'), away)
  t.same(errorsSince(before), [], 'the first failed probe has logged the outage')
  t.match(await as('AdministrativeClerk').get(`${orders}/party/${unknownId}`), away)
  t.equal((await as().get('/health/live')).status, 200)
  await admin.unsafe(`alter database ${name} allow_connections true`)
  t.equal((await as().get('/health/ready')).status, 200)
  t.ok(lines.slice(before).some((line) => line.includes('This instance is ready again.')))
  await admin.unsafe(`alter database ${name} allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const again = lines.length
  while ((await as().get('/health/ready')).status === 200);
  t.match(errorsSince(again), [/"code":"database-unavailable".*This instance is not ready\./])
  await admin.unsafe(`alter database ${name} allow_connections true`)
})
