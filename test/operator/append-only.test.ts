import postgres from 'postgres'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { plantOrder } from '../fixtures/operator.js'
import { asServerRole, SERVER_ROLE } from '../fixtures/server-role.js'
import { patient, world } from '../fixtures/world.js'

const p = patient('kept')
const permit = (change: string) =>
  `select set_config('ssl_backend.operator_change', '${change} ' || pg_current_xact_id(), true)`
const removal = 'delete from trace_lines'

t.test('only the owner removes trace lines, in a transaction with the setting for it', async (t) => {
  const app = await testApp(t)
  const { sql } = app
  await plantOrder(await world(app), p)
  const server = postgres(asServerRole(app.databaseUrl), { max: 1 })
  t.teardown(() => server.end())
  /** Runs statements in one transaction, which is rolled back. */
  const attempt = (connection: postgres.Sql, ...statements: string[]) =>
    connection
      .begin(async (tx) => {
        for (const statement of statements) await tx.unsafe(statement)
        throw new Error('done')
      })
      .catch(({ code, message }: { code?: string; message: string }) => code ?? message)

  t.equal(await attempt(sql, permit('remove orders'), removal), 'done')

  t.test('not without the setting of this transaction', async (t) => {
    t.equal(await attempt(sql, removal), '23001')
    const [{ id } = { id: '' }] = await sql`select pg_current_xact_id()::text as id`
    for (const value of ['remove orders', `remove orders ${id}`, 'on'])
      t.equal(
        await attempt(sql, `set local ssl_backend.operator_change = '${value}'`, removal),
        '23001',
        value
      )
  })

  t.test('not for a change that the setting does not name', async (t) => {
    for (const statement of [
      'update trace_lines set text = text',
      'truncate trace_lines',
      'delete from audit_events',
      'truncate audit_events',
      'update audit_events set user_id = null',
      `update audit_events set patients = '{}', orders = '{}'`
    ])
      t.equal(await attempt(sql, permit('remove orders'), statement), '23001', statement)
    t.equal(await attempt(sql, permit('change'), removal), '23001')
  })

  t.test('not by the serving role, even with the right to update', async (t) => {
    t.equal(await attempt(server, permit('remove orders'), removal), '42501')
    await sql.unsafe(`grant update, delete on trace_lines, audit_events to ${SERVER_ROLE}`)
    t.equal(await attempt(server, permit('remove orders'), removal), '23001')
  })
})
