import postgres from 'postgres'
import t from 'tap'
import { copyTables } from '../../src/embedded-postgres/maintenance/copy-tables.js'
import { cloneDatabase } from '../fixtures/app.js'

t.test('tables of any size are copied', async (t) => {
  const [fromUrl, toUrl] = [await cloneDatabase(t), await cloneDatabase(t)]
  const [from, to] = [postgres(fromUrl, { max: 1 }), postgres(toUrl, { max: 1 })]
  t.teardown(() => Promise.all([from.end(), to.end()]))
  // Ends of streams below, at and above what streams and sockets hold: 8, 16 and 64 kB.
  for (const rows of [0, 30, 90, 150, 400, 5000]) {
    await Promise.all([from`truncate idempotency_keys`, to`truncate idempotency_keys`])
    await from`insert into idempotency_keys (id, request, run, lease_until, created_at)
      select sha256(i::text::bytea), sha256(''), gen_random_uuid(), now(), now()
      from generate_series(1, ${rows}) i`
    const log: string[] = []
    await copyTables(fromUrl, toUrl, (message) => log.push(message))
    t.ok(log.includes(`idempotency_keys: ${rows} rows`), `${rows} rows`)
    t.same(await to`select * from idempotency_keys`, await from`select * from idempotency_keys`)
  }
})
