import t from 'tap'
import { deleteExpiredKeys } from '../../src/idempotency/plugin.js'
import { testApp } from '../fixtures/app.js'
import { buffersOf, recordStatements } from '../fixtures/sent-statements.js'

// The plans are those of one server.
t.test('expired keys are deleted without a look at the others', async (t) => {
  const { app, sql } = await testApp(t)
  await sql`
    insert into idempotency_keys (id, request, result, created_at)
    select int8send(n), '', '{}', now() - n * interval '4 seconds' from generate_series(1, 20000) n`
  await sql`vacuum analyze idempotency_keys`
  const sent = recordStatements(app)
  t.equal(await deleteExpiredKeys(app.db), 0, 'all are of the last 24 hours')
  t.equal(sent.length, 1)
  for (const each of sent) {
    const buffers = await buffersOf(sql, each)
    t.ok(buffers < 20, `${buffers} buffers`)
  }
})
