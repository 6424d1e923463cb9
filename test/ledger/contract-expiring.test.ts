import t from 'tap'
import { loadConfig } from '../../fastify.config.js'
import { reportExpiringContracts } from '../../src/agreement/expiring-contracts.js'
import { buildApp } from '../../src/app.js'
import { settingsWithoutTimePressure, testApp } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { asServerRole } from '../fixtures/server-role.js'
import { orders, pathOf, world } from '../fixtures/world.js'

const start = Date.now()
const dayAfter = (days: number) => new Date(start + days * 86_400_000)
const date = (at: Date) => [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()]

t.test('a contract is reported once for each last day, by any number of instances', async (t) => {
  const server = await testApp(t)
  const { app, sql, databaseUrl } = server
  const w = await world(server)
  const contract = (lastDay: number, reminderDays: number | null, expiryReminderDays?: number) => ({
    name: 'Ends',
    seller: w.seller,
    account: w.account,
    buyer: [w.buyer],
    reminderDays,
    expiryReminderDays: expiryReminderDays ?? null,
    validityPeriod: { start: [2020, 1, 1], end: date(dayAfter(lastDay)) }
  })
  const create = (...wish: Parameters<typeof contract>) =>
    w.clerk.create(`${orders}/contract/`, contract(...wish))
  const due = await create(10, 30)
  await create(40, 30)
  await create(10, null)
  await create(10, 30, 5)
  const early = await create(40, 30, 60)
  const missed = await create(-2, 5)
  const tag = async () => (await w.clerk.get(pathOf(due), 200)).headers.etag
  const tagBefore = await tag()

  const second = await buildApp(
    loadConfig({ ...settingsWithoutTimePressure, LOG_LEVEL: 'silent' }),
    asServerRole(databaseUrl)
  )
  t.teardown(() => second.close())
  await second.ready()
  await Promise.all([app, second, app, second].map((each) => reportExpiringContracts(each)))
  t.equal(await tag(), tagBefore, 'the contract did not change')
  const reported = async () =>
    (
      await sql`select subject_id, sequence from events where type = 'contract.expiring' order by subject_id, sequence`
    ).map((row) => `${row.subject_id} ${row.sequence}`)
  const first = [due, missed, early].map((each) => `${idOf(each)} 2`).sort()
  t.same(await reported(), first, 'also one whose day was missed; expiryReminderDays goes first')

  await w.clerk.put(pathOf(due), contract(10, 20), 204)
  await reportExpiringContracts(app)
  t.equal((await reported()).length, 3, 'other reminder days change nothing')
  await w.clerk.put(pathOf(due), contract(12, 20), 204)
  await Promise.all([app, second].map((each) => reportExpiringContracts(each)))
  t.same(await reported(), [...first, `${idOf(due)} 5`].sort(), 'another last day does')
})
