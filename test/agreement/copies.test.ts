import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { reportExpiringContracts } from '../../src/agreement/reminders/expiring-contracts.js'
import { type TestApp, testApp } from '../fixtures/app.js'
import { countWaiting } from '../fixtures/distributed.js'
import { orders, organization, type World, world } from '../fixtures/world.js'

/*
 * A distributed database has a copy of parties, contracts and catalogues on every node. It locks
 * more than one table for a write, so that writes at the same time would wait for each other.
 */

/** Starts a write while a contract waits for a lock of the test, and asserts that it waits too. */
async function writeBesideContract(
  t: Test,
  lock: string,
  write: (app: TestApp, w: World) => Promise<unknown>
) {
  const app = await testApp(t)
  // It is, if the tests run on a cluster.
  app.app.isDistributed = true
  const w = await world(app)
  const contract = () =>
    w.clerk.post(`${orders}/contract`, {
      name: 'Contract',
      seller: w.seller,
      account: w.account,
      buyer: [w.buyer],
      validityPeriod: { start: [2020, 1, 1], end: [2999, 12, 31] }
    })
  const sent = await app.sql.begin(async (tx) => {
    await tx.unsafe(`lock table ${lock} in share mode`)
    const first = contract()
    while ((await countWaiting(app.sql)) < 1) await pause(5)
    let isDone = false
    const second = write(app, w).finally(() => {
      isDone = true
    })
    while (!isDone && (await countWaiting(app.sql)) < 2) await pause(5)
    t.notOk(isDone, 'it waits for the contract')
    return { first, second }
  })
  for (const { status } of await Promise.all([sent.first, ...Array.from({ length: 4 }, contract)]))
    t.equal(status, 201)
  return sent.second
}

t.test('copied tables are written by one transaction at a time', async (t) => {
  const party = { allowedRoles: ['BUYER'], name: 'new', organization: organization('region') }
  t.match(await writeBesideContract(t, 'contracts', (_, { clerk }) => clerk.post(`${orders}/party`, party)), {
    status: 201
  })
})

t.test('the report of expiring contracts waits for other writes of copied tables', (t) =>
  writeBesideContract(t, 'contract_buyers', ({ app }) => reportExpiringContracts(app))
)
