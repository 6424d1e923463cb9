import postgres from 'postgres'
import t, { type Test } from 'tap'
import { migrate } from '../../src/db/migrate.js'
import { cloneDatabase } from '../fixtures/app.js'

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
