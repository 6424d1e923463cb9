import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { orders, organization, pathOf, world } from '../fixtures/world.js'

const app = await testApp(t)
const { nurse, clerk } = await world(app)

t.test('a colleague who replaces a subscription gets what the colleague may read', async (t) => {
  const path = pathOf(await nurse.create(`${orders}/subscription`, subscription))
  t.match((await clerk.get(path, 200)).body, { userType: 'MonitoringResponsible' })
  const reader = app.as('AdministrativeClerk', organization('region'), { permissions: ['Subscription.read'] })
  for (const verb of ['pause', 'resume', 'test', 'rotate'])
    t.equal((await reader.post(`${path}/${verb}`, undefined)).status, 403)
  t.equal((await reader.put(path, subscription)).status, 403)
  t.equal((await reader.delete(path)).status, 403)
  const types = [...subscription.types, ...subscription.types]
  await clerk.put(path, { ...subscription, types }, 204)
  const { body } = await nurse.get(path, 200)
  t.match(body, { userType: 'AdministrativeClerk', types: subscription.types })
  t.notOk(body.permissions.includes('Order.*'))
})
