import t from 'tap'
import { secondServer, testApp, testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { organization, party, pathOf, transitionTo } from '../fixtures/world.js'

const former = 'https://former.example.org'
const env = { PUBLIC_URL: 'https://inttest.example.org', ADDRESSING: 'host', REFERENCE_ORIGINS: former }

/** Requests an absolute URL by its path and host. */
const at = (caller: Caller, method: 'GET' | 'POST', url: string, payload?: object) => {
  const { host, pathname, search } = new URL(url)
  return caller.send({ method, url: pathname + search, headers: { host }, ...(payload ? { payload } : {}) })
}

t.test('host addressing', async (t) => {
  const app = await testApp(t, env)
  const clerk = app.as('AdministrativeClerk', organization('o'))
  const host = (api: string, rest: string) => `https://${api}.inttest.example.org/v1/${rest}`
  const path = (origin: string, url: string) =>
    url.replace('https://ssl-order.inttest.example.org', `${origin}/ssl-order`)

  const { status, headers } = await at(clerk, 'POST', host('ssl-order', 'party'), party('o', 'SELLER'))
  const seller = headers.location ?? ''
  t.equal(status, 201)
  t.ok(seller.startsWith(host('ssl-order', 'party/')), seller)
  t.match(await at(clerk, 'GET', seller), { status: 200, body: { name: 'o' } })
  t.match(await at(clerk, 'GET', path(env.PUBLIC_URL, seller)), { status: 200 }, 'path addressing works too')
  t.equal((await at(clerk, 'GET', host('ssl-catalogue', `party/${seller.split('/').at(-1)}`))).status, 404)
  t.equal((await at(app.as(), 'GET', host('ssl-order', 'openapi.json'))).body.basePath, '/v1')

  for (const reference of [
    seller,
    path(env.PUBLIC_URL, seller),
    path(former, seller),
    seller.replace('inttest', 'former')
  ]) {
    const made = await at(clerk, 'POST', host('ssl-catalogue', 'catalogue'), { seller: reference, name: 'C' })
    t.equal(made.status, 201, reference)
    t.equal(
      (await at(clerk, 'GET', made.headers.location ?? '')).body.seller,
      seller,
      'rendered in the configured form'
    )
  }
  const list = await at(
    clerk,
    'GET',
    host('ssl-catalogue', `catalogues?limit=1&seller=${encodeURIComponent(path(former, seller))}`)
  )
  t.match(list.headers.link, /^<https:\/\/ssl-catalogue\.inttest\.example\.org\/v1\/catalogues\?/)

  const moved = await secondServer(t, app, { PUBLIC_URL: 'https://new.example.org' })
  const { body } = await moved.as('AdministrativeClerk').get('/ssl-catalogue/v1/catalogues', 200)
  t.match(body[0].seller, /^https:\/\/new\.example\.org\/ssl-order\/v1\/party\//, 'old data have the new URL')
})

const forms = [
  { ADDRESSING: 'path', host: 'inttest.example.org', basePath: '/ssl-order/v1' },
  { ADDRESSING: 'host', host: 'ssl-order.inttest.example.org', basePath: '/v1' }
]
for (const { ADDRESSING, host, basePath } of forms)
  t.test(`documents name the server by its address, by ${ADDRESSING}`, async (t) => {
    const { as } = await testApp(t, { PUBLIC_URL: env.PUBLIC_URL, ADDRESSING })
    const base = `https://${host}${basePath}`
    const { body: openapi } = await as().get('/ssl-order/v1/openapi.json', 200)
    t.match(openapi, { host, basePath, schemes: ['https'] })
    t.match(openapi.definitions.OrderInput.example.buyer, `${base}/party/`, 'in examples too')
    const { body: page } = await as().get('/ssl-order/v1/docs/json', 200)
    t.match(
      page,
      { basePath: '/ssl-order/v1', host: undefined, schemes: undefined },
      'the page calls its own origin'
    )
    const { body: asyncapi } = await as().get('/asyncapi.json', 200)
    const [example] = asyncapi.components.schemas['order.created'].examples
    t.match(example.subject, `${base}/order/`)
  })

t.test('a trailing slash in a URL is ignored', async (t) => {
  const { w } = await testWorld(t)
  const { order, lines } = await w.submitted()
  for (const url of [order, `${order}/details`, lines[0] ?? '', w.monitor, w.catalogue, w.buyer].map(pathOf))
    t.same((await w.nurse.get(`${url}/`, 200)).body, (await w.nurse.get(url, 200)).body, url)
  t.equal((await w.nurse.get('/ssl-order/v1/orders/', 200)).body.length, 1)
  await w.nurse.post('/ssl-order/v1/order/', w.draft(), 201)
  await w.provider.patch(`${pathOf(order)}/`, transitionTo('ACCEPTED'), 204)
  await w.clerk.post('/ssl-catalogue/v1/catalogue-items/', [], 201)
})
