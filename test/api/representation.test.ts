import { randomUUID } from 'node:crypto'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { type Document, operationsOf } from '../fixtures/documents.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { callOf, ownerOrganization } from '../fixtures/routes/rows.js'
import { table } from '../fixtures/routes/table.js'
import { catalogue, orders, organization, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

const prefer = 'return=representation'
const send = (
  who: Caller,
  verb: 'post' | 'put' | 'patch',
  url: string,
  body: unknown,
  headers: Record<string, string> = { prefer }
) => who[verb](url, body, undefined, headers)

/** A subscription without the seconds that its deliveries are behind, which grow between two responses. */
const withoutLag = ({ lagSeconds: _, ...resource }: Record<string, unknown>) => resource

const app = await testApp(t)

t.test('every write with Prefer: return=representation responds as the GET of its resource', async (t) => {
  // No run gets the lease of a subscription, because an attempt between the two responses would
  // change the second response.
  await app.sql`alter table subscription_deliveries alter column lease_until set default '2999-01-01Z'`
  const g = await populatedWorld(app)
  const writes: string[] = []
  for (const api of [catalogue, orders]) {
    const { body } = await app.as().get(`${api}/openapi.json`, 200)
    for (const [name, { parameters = [], responses }] of operationsOf(body as Document)) {
      if (!parameters.some((each) => each.name === 'Prefer')) continue
      const [method = '', path = ''] = name.split(' ')
      writes.push(`${method} ${api}${path.replace('{id}', ':id').replace(/\/$/, '')}`)
      const status = method === 'POST' ? '201' : '200'
      t.ok(responses[status]?.schema, `${name} documents the resource`)
      t.ok(responses[status]?.headers?.['Preference-Applied'], `${name} documents the header`)
    }
  }
  t.equal(writes.length, 9 + 12 + 3, 'creates, replacements and patches')
  t.same(
    writes.filter((route) => table[route] === undefined),
    [],
    'all are in the table of routes'
  )
  for (const [route, row] of Object.entries(table)) {
    // A test of orders compares several lines with their GETs.
    if (!writes.includes(route) || route.endsWith('/order-lines')) continue
    const { userType, request, resource } = await callOf(g, route, row)
    const who = app.as(userType, ownerOrganization(userType))
    const { status, headers, body } = await who.send({ ...request, headers: { prefer } })
    t.equal(status, headers.location ? 201 : 200, route)
    t.equal(headers['preference-applied'], prefer, route)
    const shown = (await who.get(headers.location ? pathOf(headers.location) : resource, 200)).body
    t.same(withoutLag(body), withoutLag(shown), route)
    t.equal(typeof body.lagSeconds, typeof shown.lagSeconds, route)
  }
})

t.test('without the preference, or permission to read, the response has no resource', async (t) => {
  const w = await world(app)
  const url = `${catalogue}/catalogue`
  const body = { seller: w.seller, name: 'More' }
  const blind = app.as('AdministrativeClerk', organization('region'), {
    permissions: ['Catalogue.create', 'Catalogue.update']
  })
  const cases: [who: Caller, headers: Record<string, string>][] = [
    [w.clerk, {}],
    [w.clerk, { prefer: 'return=minimal' }],
    [w.clerk, { prefer: 'respond-async' }],
    [w.clerk, { prefer: 'return=representations' }],
    [blind, { prefer }]
  ]
  for (const [who, headers] of cases) {
    const created = await send(who, 'post', url, body, headers)
    t.match(created, { status: 201, body: undefined, headers: { location: /catalogue/ } })
    t.equal(created.headers['preference-applied'], undefined)
    const replaced = await send(who, 'put', pathOf(created.headers.location ?? ''), body, headers)
    t.match(replaced, { status: 204, body: undefined })
    t.equal(replaced.headers['preference-applied'], undefined)
  }
  for (const value of ['Return=Representation', 'respond-async, return = "representation"; x=1'])
    t.match(await send(w.clerk, 'post', url, body, { prefer: value }), {
      status: 201,
      body: { name: 'More' }
    })
  t.match(await send(w.clerk, 'post', url, { ...body, seller: 'x' }), {
    status: 422,
    body: { code: 'dangling-reference' }
  })
})

t.test('a repeat with an Idempotency-Key returns the resource as it is now', async (t) => {
  const { clerk, seller } = await world(app)
  const headers = { prefer, 'idempotency-key': randomUUID() }
  const create = (more: object) =>
    send(clerk, 'post', `${catalogue}/catalogue`, { seller, name: 'First' }, { ...headers, ...more })
  const first = await create({})
  await clerk.put(pathOf(first.headers.location ?? ''), { seller, name: 'Changed' }, 204)
  const repeat = await create({})
  t.equal(repeat.headers.location, first.headers.location)
  t.same(repeat.body, { ...first.body, name: 'Changed' })
  t.match(await create({ prefer: '' }), { status: 201, body: undefined })
})

t.test('the creation and each transition of an order have one audit record for each request', async (t) => {
  const { nurse, draft, addLine } = await world(app)
  const count = async () => (await app.sql`select count(*)::int as n from audit_events`)[0]?.n as number
  const before = await count()
  const created = await send(nurse, 'post', `${orders}/order`, draft())
  t.match(created, { status: 201, body: { status: { code: 'DRAFT' }, receiver: { patient: patient('p1') } } })
  t.equal(created.headers['cache-control'], 'no-store')
  t.equal(await count(), before + 1)
  await addLine(created.headers.location ?? '')
  const moved = await send(nurse, 'patch', pathOf(created.headers.location ?? ''), transitionTo('SUBMITTED'))
  t.match(moved, { status: 200, body: { id: created.body.id, status: { code: 'SUBMITTED' } } })
  t.equal(await count(), before + 3)
})
