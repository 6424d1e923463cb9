import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, organization, pathOf, world } from '../fixtures/world.js'

const app = await testApp(t)
const { nurse, clerk } = await world(app)

t.test('a colleague who replaces a subscription gets only events that the colleague may read', async (t) => {
  const input = { ...subscription, types: ['party.changed'] }
  const path = pathOf(await nurse.create(`${orders}/subscription`, input))
  const types = [...input.types, ...input.types]
  await clerk.put(path, { ...input, types }, 204)
  const { body } = await nurse.get(path, 200)
  t.match(body, { userType: 'AdministrativeClerk', types: input.types })
  t.notOk(body.permissions.includes('Order.*'))
})

t.test('a user type that cannot read the events of a subscription cannot change it', async (t) => {
  const region = organization('region')
  const provider = app.as('Provider', region)
  const stranger = app.as('Provider', organization('provider'))
  const input = { ...subscription, types: ['party.changed', 'order.submitted'] }
  const path = pathOf(await nurse.create(`${orders}/subscription`, input))
  const id = idOf(path)
  const attempts = async (caller: typeof provider) => [
    ...(await Promise.all(
      ['pause', 'resume', 'test', 'rotate'].map((verb) => caller.post(`${path}/${verb}`, undefined))
    )),
    await caller.put(path, input),
    await caller.put(`${orders}/subscription`, { id, ...input }),
    await caller.delete(path)
  ]
  for (const [caller, wanted] of [
    [provider, '403 forbidden'],
    [clerk, '403 forbidden'],
    [stranger, '404 not-found']
  ] as const)
    for (const response of await attempts(caller)) t.equal(outcome(response), wanted)
  t.match(await app.sql`select revision, test_count from subscriptions where id = ${id}`, [
    { revision: 1, test_count: 1 }
  ])
  t.equal((await app.sql`select from subscription_secrets where subscription_id = ${id}`).length, 1)

  const ofProvider = pathOf(await provider.create(`${orders}/subscription`, input))
  t.equal(outcome(await nurse.post(`${ofProvider}/rotate`, undefined)), '403 forbidden')
  const wider = { ...input, types: ['catalogue.changed', 'contract.changed'] }
  const narrow = pathOf(await provider.create(`${orders}/subscription`, wider))
  t.equal((await nurse.post(`${narrow}/rotate`, undefined)).status, 200, 'a nurse reads every catalogue')
  const wide = pathOf(await nurse.create(`${orders}/subscription`, wider))
  t.equal(outcome(await provider.post(`${wide}/rotate`, undefined)), '403 forbidden')
})
