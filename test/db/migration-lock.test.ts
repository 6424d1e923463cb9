import postgres from 'postgres'
import t, { type Test } from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { cloneDatabase } from '../fixtures/app.js'
import { moreMigrations } from '../fixtures/migrations.js'

/** A database of which a session of another program holds the migration lock. */
async function lockedDatabase(t: Test) {
  const url = await cloneDatabase(t, 'template0')
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'the holder' } })
  t.teardown(() => sql.end())
  const [holder] = await sql`select pg_backend_pid() as pid, pg_advisory_lock(5417264)`
  const release = async () => void (await sql`select pg_advisory_unlock_all()`)
  const hasTables = async () => (await sql`select to_regclass('orders') is not null as found`)[0]?.found
  const held = new RegExp(`advisory lock 5417264\\).*process ${holder?.pid} .*"the holder"\\) holds it`)
  return { url, release, hasTables, held }
}

t.test('a migration reports the session that it waits for, and then runs', async (t) => {
  const { url, release, hasTables, held } = await lockedDatabase(t)
  const messages: string[] = []
  let migrating: Promise<void> | undefined
  await new Promise<void>((reported) => {
    const warn = (message: string) => messages.push(message) === 3 && reported()
    migrating = migrate(url, { warn, reportMs: 1 })
  })
  for (const message of messages) t.match(message, held)
  t.equal(await hasTables(), false)
  await release()
  await migrating
  t.equal(await hasTables(), true)
})

t.test('a migration that does not get the lock in time fails and changes nothing', async (t) => {
  const { url, release, hasTables, held } = await lockedDatabase(t)
  await t.rejects(migrate(url, { timeoutMs: 1 }), held)
  await release()
  t.equal(await hasTables(), false)
})

t.test('a migration without competition reports nothing', async (t) => {
  const { url, release } = await lockedDatabase(t)
  await release()
  await migrate(url, { warn: (message) => t.fail(message), reportMs: 0 })
})

/** A database with a transaction that reads orders, and a migration that changes their table. */
async function readDatabase(t: Test) {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 2, onnotice: () => {}, connection: { application_name: 'the reader' } })
  t.teardown(() => sql.end())
  const reader = await sql.reserve()
  await reader`begin`
  await reader`select count(*) from orders`
  const end = async () => {
    await reader`commit`
    reader.release()
  }
  const folder = moreMigrations(t, 'ALTER TABLE orders ADD COLUMN newer text')
  return { url, sql, end, options: { folder, tableRetryMs: 1 } }
}

t.test('a migration waits for a table in short attempts, between which others read it', async (t) => {
  const { url, sql, end, options } = await readDatabase(t)
  const messages: string[] = []
  let reported: () => void = () => {}
  const hasReported = new Promise<void>((resolve) => {
    reported = resolve
  })
  const warn = (message: string) => messages.push(message) === 2 && reported()
  const migrating = migrate(url, { ...options, warn })
  await hasReported
  for (let read = 0; read < 3; read++) await sql`select count(*) from orders`
  await end()
  await migrating
  for (const message of messages.slice(0, 2))
    t.match(
      message,
      /^Waiting for a table that is in use for \d+ s\. .* PostgreSQL process \d+ \(application_name "the reader"\), for \d+ s\.$/
    )
  const [row] = await sql`select count(newer) as n from orders`
  t.equal(Number(row?.n), 0)
})

t.test('a migration that does not get a table in time fails and changes nothing', async (t) => {
  const { url, sql, end, options } = await readDatabase(t)
  await t.rejects(
    migrate(url, { ...options, timeoutMs: 1 }),
    /a table that is in use\. .*"the reader".* Nothing was migrated\.$/
  )
  await end()
  await t.rejects(sql`select newer from orders`, { code: '42703' })
})

t.test('the wait for another migration ends when it is aborted', async (t) => {
  const { url, hasTables } = await lockedDatabase(t)
  const abort = new AbortController()
  const migrating = migrate(url, { reportMs: 0, warn: () => abort.abort(), signal: abort.signal })
  await t.rejects(migrating, { name: 'AbortError' })
  t.equal(await hasTables(), false)
})

t.test('a database with another encoding is refused', async (t) => {
  const url = await cloneDatabase(t, 'template0')
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const name = `${new URL(url).pathname.slice(1)}_ascii`
  t.teardown(async () => {
    await sql.unsafe(`drop database if exists ${name}`)
    await sql.end()
  })
  await sql.unsafe(`create database ${name} template template0 encoding 'SQL_ASCII' locale 'C'`)
  const other = Object.assign(new URL(url), { pathname: `/${name}` }).href
  await t.rejects(migrate(other), /has the encoding SQL_ASCII\. Create one with createdb .*UTF8/)
})
