import postgres from 'postgres'
import t, { type Test } from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { cloneDatabase } from '../fixtures/app.js'
import { moreMigrations } from '../fixtures/migrations.js'

/** A database whose migration lock a session of another program has. */
async function lockedDatabase(t: Test) {
  const url = await cloneDatabase(t, 'template0')
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'the holder' } })
  t.teardown(() => sql.end())
  await sql`select pg_advisory_lock(5417264)`
  const release = async () => void (await sql`select pg_advisory_unlock_all()`)
  const hasTables = async () => (await sql`select to_regclass('orders') is not null as found`)[0]?.found
  return { url, release, hasTables }
}

t.test('a migration reports that it waits for another migration, and then runs', async (t) => {
  const { url, release, hasTables } = await lockedDatabase(t)
  const messages: string[] = []
  let migrating: Promise<void> | undefined
  await new Promise<void>((reported) => {
    const warn = (message: string) => messages.push(message) === 3 && reported()
    migrating = migrate(url, { warn, reportMs: 1 })
  })
  for (const message of messages)
    t.match(message, /^Waiting for \d+ s for the migration lock\. .*objid = 5417264$/)
  t.equal(await hasTables(), false)
  await release()
  await migrating
  t.equal(await hasTables(), true)
})

t.test('a migration that does not get the lock in time fails and changes nothing', async (t) => {
  const { url, release, hasTables } = await lockedDatabase(t)
  await t.rejects(migrate(url, { timeoutMs: 1 }), /^Nothing was migrated in .*migration lock/)
  await release()
  t.equal(await hasTables(), false)
})

t.test('a migration without competition reports nothing', async (t) => {
  const { url, release } = await lockedDatabase(t)
  await release()
  await migrate(url, { warn: (message) => t.fail(message), reportMs: 0 })
})

/** A migrated database. */
async function newDatabase(t: Test) {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 2, onnotice: () => {}, connection: { application_name: 'the reader' } })
  t.teardown(() => sql.end({ timeout: 1 }))
  return { url, sql }
}

/** A database with a transaction that reads orders, and a migration that changes their table. */
async function readDatabase(t: Test) {
  const { url, sql } = await newDatabase(t)
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

t.test(
  'a migration waits for a table in short attempts, between which other sessions read the table',
  async (t) => {
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
      t.match(message, /^Waiting for \d+ s for a table that is in use\. .*pg_stat_activity/)
    const [row] = await sql`select count(newer) as n from orders`
    t.equal(Number(row?.n), 0)
  }
)

t.test('a migration that does not get a table in time fails and changes nothing', async (t) => {
  const { url, sql, end, options } = await readDatabase(t)
  await t.rejects(
    migrate(url, { ...options, timeoutMs: 1 }),
    /Nothing was migrated in .* a table that is in use\./
  )
  await end()
  await t.rejects(sql`select newer from orders`, { code: '42703' })
})

t.test(
  'a migration does not deadlock with a writer, in whatever order its statements name tables',
  async (t) => {
    const { url, sql } = await newDatabase(t)
    const folder = moreMigrations(
      t,
      'ALTER TABLE order_lines ADD COLUMN newer text',
      'ALTER TABLE orders ADD COLUMN newer text;--> statement-breakpoint\nCREATE INDEX parties_newer ON parties (name)'
    )
    const writer = await sql.reserve()
    await writer`begin`
    await writer`update orders set revision = revision`
    const migrating = migrate(url, { folder, tableRetryMs: 1 })
    for (;;) {
      const [waiting] = await sql`select from pg_locks where relation = 'orders'::regclass and not granted`
      if (waiting) break
    }
    // The migration has locked order_lines. The migration gives up before PostgreSQL cancels the
    // writer.
    await writer`update order_lines set status = status`
    await writer`commit`
    writer.release()
    await migrating
    t.same((await sql`select newer from order_lines union all select newer from orders`).length, 0)
  }
)

t.test('retries a migration that PostgreSQL cancels in a deadlock', async (t) => {
  const { url, sql } = await newDatabase(t)
  await sql`create sequence attempts`
  const deadlock = `do $$ begin
    if nextval('attempts') < 3 then raise exception 'deadlock' using errcode = '40P01'; end if;
  end $$`
  const messages: string[] = []
  const warn = (message: string) => messages.push(message)
  await migrate(url, { folder: moreMigrations(t, deadlock), tableRetryMs: 1, warn })
  t.match(messages, Array(2).fill(/^Waiting for \d+ s for a table that is in use/))
})

t.test('a database with another encoding is rejected', async (t) => {
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
