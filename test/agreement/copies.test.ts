import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { reportExpiringContracts } from '../../src/agreement/reminders/expiring-contracts.js'
import { testApp } from '../fixtures/app.js'
import { countWaiting } from '../fixtures/distributed.js'
import { orders, organization, world } from '../fixtures/world.js'

/*
 * A distributed database has a copy of parties, contracts and catalogues on every node. It locks
 * more than one table for a write, so that writes at the same time would wait for each other.
 */

t.test('copied tables are written by one transaction at a time', async (t) => {
  const app = await testApp(t)
  // It is, if the tests run on a cluster.
  app.app.isDistributed = true
  const { clerk, seller, account, buyer } = await world(app)
  const contract = () =>
    clerk.post(`${orders}/contract`, {
      name: 'Contract',
      seller,
      account,
      buyer: [buyer],
      validityPeriod: { start: [2020, 1, 1], end: [2999, 12, 31] }
    })
  const party = () =>
    clerk.post(`${orders}/party`, {
      allowedRoles: ['BUYER'],
      name: 'new',
      organization: organization('region')
    })

  const sent = await app.sql.begin(async (tx) => {
    await tx`lock table contracts in share mode`
    const first = contract()
    while ((await countWaiting(app.sql)) < 1) await pause(5)
    let isDone = false
    const second = party().finally(() => {
      isDone = true
    })
    while (!isDone && (await countWaiting(app.sql)) < 2) await pause(5)
    t.notOk(isDone, 'a party waits for the contract')
    return [first, second]
  })
  const responses = await Promise.all([...sent, ...Array.from({ length: 4 }, contract)])
  t.same(
    responses.map(({ status }) => status),
    responses.map(() => 201)
  )
})

t.test('the report of expiring contracts waits for other writes of copied tables', async (t) => {
  const app = await testApp(t)
  app.app.isDistributed = true
  const { clerk, seller, account, buyer } = await world(app)
  const [sent, reported] = await app.sql.begin(async (tx) => {
    await tx`lock table contract_buyers in share mode`
    const sent = clerk.post(`${orders}/contract`, {
      name: 'Contract',
      seller,
      account,
      buyer: [buyer],
      validityPeriod: { start: [2020, 1, 1], end: [2999, 12, 31] }
    })
    while ((await countWaiting(app.sql)) < 1) await pause(5)
    let isDone = false
    const reported = reportExpiringContracts(app.app).finally(() => {
      isDone = true
    })
    while (!isDone && (await countWaiting(app.sql)) < 2) await pause(5)
    t.notOk(isDone, 'it waits for the contract')
    return [sent, reported] as const
  })
  t.equal((await sent).status, 201)
  await reported
})
