import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { operate } from '../fixtures/operator.js'
import { temporaryFolder } from '../fixtures/server.js'
import { asServerRole } from '../fixtures/server-role.js'
import { orders, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

const p = patient('p1')

const asOrdered = {
  name: 'Blood pressure monitor',
  manufacturer: 'A&D',
  model: 'UA-767',
  version: null,
  identifiers: []
}

t.test('an edit of the catalogue changes no line, no device and no export', async (t) => {
  const app = await testApp(t)
  const { nurse, provider, clerk, ...w } = await world(app)
  const { order, lines } = await w.submitted(2)
  const [line = '', open = ''] = lines
  await provider.patch(pathOf(line), transitionTo('FULFILLED'), 204)
  const fetching = await w.createDraft()
  const pickup = await w.addLine(fetching, { action: 'PICKUP', relatedTo: line })
  t.equal((await nurse.get(pathOf(pickup), 200)).body.orderedItem, null, 'a draft orders nothing yet')
  await nurse.patch(pathOf(fetching), transitionTo('SUBMITTED'), 204)

  const folder = temporaryFolder(t)
  let exports = 0
  async function exported() {
    const file = join(folder, `${exports++}.json`)
    t.match(await operate(asServerRole(app.databaseUrl), ['patient', 'export', p, '--to', file]), { code: 0 })
    const { orderLines, devices } = JSON.parse(readFileSync(file, 'utf8'))
    return { orderLines, devices }
  }
  /** All responses that show items of lines or models of devices. */
  const shown = async () => ({
    details: [await nurse.get(`${pathOf(order)}/details`), await provider.get(`${pathOf(fetching)}/details`)],
    lines: [await nurse.get(pathOf(line)), await provider.get(pathOf(pickup))],
    list: (await nurse.get(`${orders}/order-lines`)).body
  })
  const before = await shown()
  const exportBefore = await exported()
  t.match(before.lines[0]?.body, { orderedItem: asOrdered, device: asOrdered })
  t.match(before.lines[1]?.body, { orderedItem: asOrdered, relatedDevice: asOrdered })
  t.match(exportBefore, {
    orderLines: [{ item: asOrdered.name, orderedItem: asOrdered }, {}, {}],
    devices: [{ item: asOrdered.name, manufacturer: 'A&D', model: 'UA-767', version: null, identifiers: [] }]
  })

  const { id, ...item } = (await clerk.get(pathOf(w.monitor), 200)).body
  const now = { name: 'Renamed', manufacturer: 'B', model: 'X', version: '2' }
  const identifiers = [{ system: 'urn:x', value: '1', assigner: null }]
  await clerk.put(pathOf(w.monitor), { ...item, ...now, identifiers }, 204)
  t.same(bodiesOf(await shown()), bodiesOf(before))
  t.same(await exported(), exportBefore)
  const { body } = await nurse.get(`${orders}/order-lines?expand=items`, 200)
  t.match(body.expanded[w.monitor], now, 'included items are those of today')

  // Later deliveries show the present model.
  await provider.patch(pathOf(open), transitionTo('FULFILLED'), 204)
  t.match((await nurse.get(pathOf(open), 200)).body, {
    orderedItem: asOrdered,
    device: { ...now, identifiers }
  })

  await provider.patch(pathOf(pickup), transitionTo('FULFILLED'), 204)
  t.match(await operate(app.databaseUrl, ['patient', 'erase', p, '--confirm']), { code: 0 })
  t.match((await nurse.get(pathOf(line), 200)).body, { orderedItem: asOrdered, device: asOrdered })
  t.match((await nurse.get(pathOf(pickup), 200)).body, { relatedDevice: asOrdered })
})

const bodiesOf = ({
  details,
  lines,
  list
}: {
  details: { body: unknown }[]
  lines: { body: unknown }[]
  list: unknown
}) => [...[...details, ...lines].map(({ body }) => body), list]

t.test('a new line can be a copy of one in a draft', async (t) => {
  const { nurse, ...w } = await world(await testApp(t))
  const order = await w.createDraft()
  const { id, ...copy } = (await nurse.get(pathOf(await w.addLine(order)), 200)).body
  t.equal(copy.orderedItem, null)
  await nurse.create(`${orders}/order-line`, { ...copy, order })
})

t.test('a device has no identifier that the seller removed before the delivery', async (t) => {
  const { nurse, clerk, provider, ...w } = await world(await testApp(t))
  const { id, ...item } = (await clerk.get(pathOf(w.monitor), 200)).body
  const mistaken = [{ system: 'urn:gtin', value: '05700000000004' }]
  await clerk.put(pathOf(w.monitor), { ...item, identifiers: mistaken }, 204)
  const order = await w.createDraft()
  const line = await w.addLine(order)
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  await clerk.put(pathOf(w.monitor), { ...item, identifiers: [] }, 204)
  await provider.patch(pathOf(line), transitionTo('FULFILLED'), 204)
  const { orderedItem, device } = (await nurse.get(pathOf(line), 200)).body
  t.match(orderedItem.identifiers, mistaken)
  t.same(device.identifiers, [])
})
