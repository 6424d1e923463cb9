import t from 'tap'
import { type UserType, userTypes } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { subscription } from '../fixtures/routes/bodies.js'
import { table } from '../fixtures/routes/table.js'
import { contentOf } from '../fixtures/routes/writes.js'
import { orders, organization, pathOf, world } from '../fixtures/world.js'

const permissions = ['Subscription.*', 'Order.*']
const bodies = (id: string): Record<string, object> => ({
  [`PUT ${orders}/subscription`]: { id, ...subscription },
  [`PUT ${orders}/subscription/:id`]: subscription
})

const app = await testApp(t)
const { nurse, clerk } = await world(app)

t.test('no route shows or changes a subscription of another organization', async (t) => {
  const path = pathOf(await nurse.create(`${orders}/subscription`, subscription))
  const routes = Object.keys(table).filter((route) => route.includes('/subscription'))
  t.equal(routes.length, 10)
  // Also one that is spelled like the owner.
  const others = ['other-region', 'Region', 'region%20']
  for (const userType of userTypes as readonly UserType[])
    for (const other of others) {
      const caller = app.as(userType, organization(other), { permissions })
      const before = await contentOf(app.sql)
      for (const route of routes) {
        if (route === `POST ${orders}/subscription`) continue
        const [method, url = ''] = route.split(' ')
        const payload = bodies(idOf(path))[route]
        const { status, body } = await caller.send({
          method: method as 'GET',
          url: url.replace(':id', idOf(path)),
          ...(payload ? { payload } : {})
        })
        if (route === `GET ${orders}/subscriptions`) t.same(body, [], `${route} of ${other}`)
        else t.match({ status, body }, { status: 404, body: { code: 'not-found' } }, `${route} of ${other}`)
      }
      t.same(await contentOf(app.sql), before, 'nothing was written')
    }
})

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
