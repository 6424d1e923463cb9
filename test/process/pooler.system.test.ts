import { once } from 'node:events'
import t, { type Test } from 'tap'
import { cloneDatabase } from '../fixtures/app.js'
import { limitStatements, skipPgBouncer, startPgBouncer } from '../fixtures/pgbouncer.js'
import { startServer } from '../fixtures/server.js'

async function failureOf(t: Test, env: Record<string, string>): Promise<string> {
  const server = await startServer(t, env)
  const closed = once(server.process, 'close')
  await t.rejects(server.ready(), 'it does not start')
  await closed
  return server.output()
}

t.test('a start through PgBouncer reports which setting is missing', { skip: skipPgBouncer }, async (t) => {
  const url = await cloneDatabase(t)
  const pooler = await startPgBouncer(url)
  t.teardown(() => pooler.stop())
  await limitStatements(url, 0)
  const DATABASE_URL = pooler.through(url)
  t.match(await failureOf(t, { DATABASE_URL }), /statement_timeout\n.*set DATABASE_POOLER=transaction/)
  t.match(
    await failureOf(t, { DATABASE_URL, DATABASE_POOLER: 'transaction', REQUEST_TIMEOUT: '30000' }),
    /^The statement_timeout of the role \S+ is 0 ms .*alter role \S+ set statement_timeout = '37500ms'/
  )
})
