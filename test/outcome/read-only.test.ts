import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { orders, organization } from '../fixtures/world.js'

// The pooler's connections to PostgreSQL would stay read-only.
const options = { skip: process.env.TEST_POOLER_URL !== undefined && 'it needs new connections' }
t.test('a database that becomes read-only is unavailable for writes', options, async (t) => {
  // Without targets of events, no query but those of the requests opens a connection.
  const { as, sql, databaseUrl } = await testApp(t, { EVENT_TARGETS: '', DATABASE_POOL: '6' })
  const name = new URL(databaseUrl).pathname.slice(1)
  const clerk = as('AdministrativeClerk', organization('region'))
  const party = { allowedRoles: ['BUYER'], name: 'region', organization: organization('region') }
  const create = () => clerk.post(`${orders}/party`, party)
  /** Like a standby, which accepts no writes on new connections. */
  async function become(readOnly: boolean) {
    await sql.unsafe(`alter database ${name} set default_transaction_read_only = ${readOnly}`)
    if (readOnly)
      await sql`select pg_terminate_backend(pid, 60000) from pg_stat_activity
        where datname = current_database() and application_name = 'ssl-backend'`
  }

  const { headers } = await create()
  await become(true)
  for (let at = 0; at < 10; at++)
    t.match(await create(), { status: 503, body: { code: 'database-unavailable' } })
  await clerk.get(String(headers.location), 200)
  await become(false)
  // The connection of the read stays read-only. The pool closes it if the first write gets it.
  const first = await create()
  const isWritten = first.status === 201
  if (!isWritten) t.match(first, { status: 503, body: { code: 'database-unavailable' } })
  for (let at = 0; at < 10; at++) t.equal((await create()).status, 201)
  t.match(await sql`select count(*)::int from parties`, [{ count: isWritten ? 12 : 11 }])
})
