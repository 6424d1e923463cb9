import t from 'tap'
import { deleteExpiredKeys } from '../../src/idempotency/plugin.js'
import { testApp } from '../fixtures/app.js'
import { cheapReads } from '../fixtures/sent-statements.js'

// The plans are those of one server.
t.test('expired keys are deleted without a scan of the other keys', async (t) => {
  const test = await testApp(t)
  const { app, sql } = test
  await sql`
    insert into idempotency_keys (id, request, result, created_at)
    select int8send(n), '', '{}', now() - n * interval '4 seconds' from generate_series(1, 20000) n`
  await sql`vacuum analyze idempotency_keys`
  const count = await cheapReads(test, /./, 20)(t, 'keys', async () => {
    t.equal(await deleteExpiredKeys(app.db), 0, 'all are of the last 24 hours')
  })
  t.equal(count, 1)
})
