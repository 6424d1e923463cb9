import postgres from 'postgres'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { referenceOf } from '../fixtures/audit/rows.js'
import { plantOrder } from '../fixtures/operator.js'
import { asServerRole, SERVER_ROLE } from '../fixtures/server-role.js'
import { patient, world } from '../fixtures/world.js'

const p = patient('kept')
const permit = (change: string) =>
  `select set_config('ssl_backend.operator_change', '${change} ' || pg_current_xact_id(), true)`
const removal = 'delete from trace_lines'
const hashed = `update audit_events set patients = array(
  select case when length(p) > 16 then '\\x00112233445566778899aabbccddeeff'::bytea else p end from unnest(patients) p)`

t.test('only the owner changes append-only rows, in a transaction with the setting for it', async (t) => {
  const app = await testApp(t, { AUDIT_PATIENTS: 'reference' })
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
  t.equal(await attempt(sql, permit('hash patients'), hashed), 'done')

  t.test('not without the setting of this transaction', async (t) => {
    t.equal(await attempt(sql, removal), '23001')
    t.equal(await attempt(sql, hashed), '23001')
    const [{ id } = { id: '' }] = await sql`select pg_current_xact_id()::text as id`
    for (const value of ['remove orders', `remove orders ${id}`, 'on'])
      t.equal(
        await attempt(sql, `set local ssl_backend.operator_change = '${value}'`, removal),
        '23001',
        value
      )
  })

  t.test('not for a change that the setting does not name', async (t) => {
    const another = referenceOf(patient('another'))
    const cases = {
      'hash patients': [
        removal,
        'delete from audit_events',
        'truncate audit_events',
        'update audit_events set user_id = null',
        `update audit_events set patients = '{}', orders = '{}'`,
        `update audit_events set patients = array_fill('${another}'::bytea, array[cardinality(patients)])`,
        `${hashed}, user_id = 'another'`
      ],
      'remove orders': [hashed, 'update trace_lines set text = text', 'truncate trace_lines']
    }
    for (const [change, statements] of Object.entries(cases))
      for (const statement of statements)
        t.equal(await attempt(sql, permit(change), statement), '23001', `${change}: ${statement}`)
    const hashedAgain = hashed.replace('length(p) > 16', 'true').replace('0011', '0022')
    t.equal(await attempt(sql, permit('hash patients'), hashed, hashedAgain), '23001', 'a hash stays')
  })

  t.test('not by the serving role, even with the right to update', async (t) => {
    t.equal(await attempt(server, permit('remove orders'), removal), '42501')
    t.equal(await attempt(server, permit('hash patients'), hashed), '42501')
    await sql.unsafe(`grant update, delete on trace_lines, audit_events to ${SERVER_ROLE}`)
    t.equal(await attempt(server, permit('remove orders'), removal), '23001')
    t.equal(await attempt(server, permit('hash patients'), hashed), '23001')
  })
})
