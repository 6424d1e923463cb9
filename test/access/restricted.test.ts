import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf, unknownId } from '../fixtures/routes/addresses.js'
import { annotation, device, moreDevices } from '../fixtures/routes/bodies.js'
import { populatedWorld } from '../fixtures/routes/populated-world.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue, moveTo, orders, organization, pathOf, patient } from '../fixtures/world.js'

/** What a route shows and accepts, besides who may call it. `random-worlds` tries references to foreign resources. */

const app = await testApp(t)
const g = await populatedWorld(app)

t.test('a provider never sees a draft', async (t) => {
  const order = await g.createDraft()
  const line = await g.addLine(order)
  const query = `?order=${encodeURIComponent(order)}`
  const [trace] = (await g.nurse.get(`${orders}/trace-lines${query}`, 200)).body
  for (const path of [
    pathOf(order),
    `${pathOf(order)}/details`,
    pathOf(line),
    `${orders}/trace-line/${trace.id}`
  ])
    t.equal((await g.provider.get(path)).status, 404, path)
  for (const path of [pathOf(order), pathOf(line)])
    t.equal((await g.provider.patch(path, moveTo('FULFILLED'))).status, 404, `PATCH ${path}`)
  for (const path of ['trace-lines', 'order-lines', 'order-line'])
    t.equal(outcome(await g.provider.get(`${orders}/${path}${query}`)), '200 none', path)
  for (const query of ['', '?status=DRAFT', `?seller=${encodeURIComponent(g.seller)}`]) {
    const { body } = await g.provider.get(`${orders}/orders${query}`, 200)
    t.notOk(JSON.stringify(body).includes(idOf(order)), `orders${query}`)
  }
  await g.nurse.patch(pathOf(order), moveTo('CANCELLED'), 204)
  t.equal((await g.provider.get(pathOf(order))).status, 404, 'nor a draft that was cancelled')
})

const items = ['CatalogueItem.*']

t.test('an item is created with annotations only by a caller that may create them', async (t) => {
  const own = { buyer: g.buyer, name: 'place', value: annotation(g).value }
  const foreign = { ...own, buyer: g.otherBuyer }
  const clerk = (...permissions: string[]) =>
    app.as('AdministrativeClerk', organization('region'), { permissions: [...items, ...permissions] })
  const provider = app.as('Provider', organization('provider'), { permissions: [...items, 'Annotation.*'] })
  const cases = [
    { what: 'may create', by: clerk('Annotation.create'), annotation: own, wanted: '201' },
    { what: 'may not', by: clerk(), annotation: own, wanted: '403 forbidden' },
    { what: 'may read', by: clerk('Annotation.read'), annotation: own, wanted: '403 forbidden' },
    { what: 'is a provider', by: provider, annotation: own, wanted: '403 forbidden' },
    {
      what: 'is of another organization',
      by: clerk('Annotation.*'),
      annotation: foreign,
      wanted: '422 dangling-reference /annotations/0/buyer'
    }
  ]
  for (const { what, by, annotation, wanted } of cases) {
    const body = { ...device(g), annotations: [annotation] }
    t.equal(outcome(await by.post(`${catalogue}/catalogue-item`, body)), wanted, what)
  }
})

t.test('items show annotations only to a caller that may read them', async (t) => {
  const url = `${catalogue}/catalogue-items?buyer=${encodeURIComponent(g.buyer)}`
  for (const permissions of [items, [...items, 'Annotation.read']]) {
    const nurse = app.as('MonitoringResponsible', organization('region'), { permissions })
    const { body } = await nurse.get(url, 200)
    t.equal('annotations' in body[0], permissions.length > 1, `with ${permissions}`)
  }
  t.equal((await g.provider.get(`${catalogue}/catalogue-items?annotation=a%3Ab%7Cc`)).status, 403)
})

t.test('only MonitoringResponsible names a patient in the item search', async (t) => {
  const url = `${catalogue}/catalogue-items?patient=${encodeURIComponent(patient('p1'))}`
  const statuses = await Promise.all(
    [g.clerk, g.provider, g.nurse].map(async (each) => (await each.get(url)).status)
  )
  t.same(statuses, [403, 403, 200])
})

t.test('nothing moves to another organization', async (t) => {
  const note = { ...annotation(g), buyer: g.otherBuyer }
  t.equal(outcome(await g.clerk.put(pathOf(g.annotation), note)), '422 dangling-reference /buyer')
  const devices = { ...moreDevices(g), seller: g.otherSeller }
  t.equal(outcome(await g.provider.put(pathOf(g.catalogue), devices)), '422 dangling-reference /seller')
  const toOther = [{ op: 'replace', path: '/buyer', value: g.otherBuyer }]
  const draft = pathOf(await g.createDraft())
  t.equal(outcome(await g.nurse.patch(draft, toOther)), '422 dangling-reference /0/value')
})

t.test('operations of a JSON Patch that read need the read permission', async (t) => {
  const order = await g.createDraft({ name: 'secret', notes: [{ note: 'first' }] })
  const line = await g.addLine(order)
  const nurse = (...permissions: string[]) =>
    app.as('MonitoringResponsible', organization('region'), { permissions })
  const [writer, reader] = [
    nurse('Order.update', 'OrderLine.update'),
    nurse('Order.read', 'Order.update', 'OrderLine.read', 'OrderLine.update')
  ]
  const name = { op: 'replace', path: '/name', value: 'new' }
  const cases: { path: string; patch: object[]; permitted: string }[] = [
    {
      path: order,
      patch: [{ op: 'test', path: '/name', value: 'secret' }],
      permitted: '204'
    },
    {
      path: order,
      patch: [name, { op: 'test', path: '/name', value: 'old' }],
      permitted: '409 failed-test'
    },
    { path: order, patch: [{ op: 'copy', from: '/receiver/name', path: '/name' }], permitted: '204' },
    { path: order, patch: [{ op: 'move', from: '/notes/0', path: '/notes/-' }], permitted: '204' },
    { path: line, patch: [{ op: 'test', path: '/action/code', value: 'DELIVER' }], permitted: '204' }
  ]
  for (const { path, patch, permitted } of cases) {
    const what = JSON.stringify(patch)
    const refused = await writer.patch(pathOf(path), patch)
    t.equal(outcome(refused), '403 forbidden', what)
    t.match(refused.body.detail, /test, move and copy read the resource.*Order(Line)?\.read/)
    t.equal(
      outcome(await writer.patch(`${path.slice(0, path.lastIndexOf('/'))}/${unknownId}`, patch)),
      '403 forbidden'
    )
    t.equal(outcome(await reader.patch(pathOf(path), patch)), permitted, what)
  }
  t.equal((await writer.patch(pathOf(order), [name])).status, 204)
  const shown = await writer.send({
    method: 'PATCH',
    url: pathOf(order),
    headers: { prefer: 'return=representation' },
    payload: [name]
  })
  t.match([shown.status, shown.body, shown.headers.etag], [204, undefined, undefined])
})
