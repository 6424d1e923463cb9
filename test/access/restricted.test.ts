import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { unknownId } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, organization, pathOf, replace, transitionTo, withQuery, world } from '../fixtures/world.js'

/*
 * Examples of the members that a route shows and accepts. `random-worlds` tests each resource and
 * each reference.
 */

const app = await testApp(t)
const g = await world(app)

t.test('a provider never sees a draft', async (t) => {
  const order = await g.createDraft()
  const line = await g.addLine(order)
  const [trace] = (await g.nurse.get(withQuery(`${orders}/trace-lines`, { order }), 200)).body
  const traceLine = `${orders}/trace-line/${trace.id}`
  for (const path of [pathOf(order), `${pathOf(order)}/details`, pathOf(line), traceLine])
    t.equal((await g.provider.get(path)).status, 404, path)
  for (const path of [pathOf(order), pathOf(line)])
    t.equal((await g.provider.patch(path, transitionTo('FULFILLED'))).status, 404, `PATCH ${path}`)
  for (const path of ['trace-lines', 'order-lines', 'order-line'])
    t.equal(outcome(await g.provider.get(withQuery(`${orders}/${path}`, { order }))), '200 none', path)
  t.same((await g.provider.get(`${orders}/orders`, 200)).body, [])
  await g.nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
  t.equal((await g.provider.get(pathOf(order))).status, 404, 'nor a draft that was cancelled')
})

t.test('operations of a JSON Patch that read a value need the read permission', async (t) => {
  const order = await g.createDraft({ name: 'secret', notes: [{ note: 'first' }] })
  const line = await g.addLine(order)
  const nurse = (...permissions: string[]) =>
    app.as('MonitoringResponsible', organization('region'), { permissions })
  const [writer, reader] = [
    nurse('Order.update', 'OrderLine.update'),
    nurse('Order.read', 'Order.update', 'OrderLine.read', 'OrderLine.update')
  ]
  const name = replace('/name', 'new')
  const cases: { path: string; patch: object[]; permitted: string }[] = [
    { path: order, patch: [{ op: 'test', path: '/name', value: 'secret' }], permitted: '204' },
    { path: order, patch: [name, { op: 'test', path: '/name', value: 'old' }], permitted: '409 failed-test' },
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
  const shown = await writer.patch(pathOf(order), [name], undefined, { prefer: 'return=representation' })
  t.match([shown.status, shown.body, shown.headers.etag], [204, undefined, undefined])
})
