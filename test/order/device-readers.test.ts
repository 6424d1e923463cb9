import t from 'tap'
import { type TestApp, testApp } from '../fixtures/app.js'
import { addOtherService } from '../fixtures/devices.js'
import { type Event, readOn } from '../fixtures/events/reading.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { moveTo, orders, pathOf, type World, world } from '../fixtures/world.js'

const numbers = { serialNumber: 'SN-1', lotNumber: null, udi: null, expiryDate: null }

/** A delivered device, and a submitted line of the other seller that fetches it. */
async function fetchedByOther(w: World) {
  const item = await addOtherService(w)
  const { lines } = await w.submitted()
  const [line = ''] = lines
  const patch = [...moveTo('FULFILLED'), { op: 'add', path: '/device/serialNumber', value: 'SN-1' }]
  await w.provider.patch(pathOf(line), patch, 204)
  const order = await w.createDraft({ seller: w.otherSeller })
  const pickup = await w.addLine(order, { item, action: 'PICKUP', relatedTo: line })
  await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
  return { line, order, pickup }
}

/** The body of a line in a new order that fetches a device. */
const pickupIn = async (w: World, relatedTo: string) => ({
  order: await w.createDraft(),
  item: w.monitor,
  action: 'PICKUP',
  relatedTo
})

const appOf = async (isDistributed: boolean): Promise<TestApp> => {
  const test = await testApp(t)
  test.app.isDistributed = isDistributed
  return test
}

for (const isDistributed of [false, true]) {
  const of = isDistributed ? 'in a distributed database' : 'in one database'
  t.test(`another seller sees the device that it fetches, not its delivery, ${of}`, async (t) => {
    const app = await appOf(isDistributed)
    const w = await world(app)
    const { line, order, pickup } = await fetchedByOther(w)
    const encoded = encodeURIComponent(order)
    for (const [by, relatedTo] of [
      [w.nurse, line],
      [w.otherProvider, null]
    ] as const) {
      const shown = (await by.get(pathOf(pickup), 200)).body
      t.match(shown, { relatedTo, relatedDevice: { model: 'UA-767', ...numbers } })
      for (const { body } of [
        await by.get(`${pathOf(order)}/details`, 200),
        await by.get(`${pathOf(order)}/details?form=flat&expand=parties`, 200)
      ])
        t.same(body.orderLines, [shown])
      const { allowedStatuses, ...listed } = shown
      t.same((await by.get(`${orders}/order-lines?order=${encoded}`, 200)).body, [listed])
      const { body } = await by.get(`${pathOf(order)}/details?expand=orderLines`, 200)
      t.same(body.expanded[pickup], shown)
    }
    await w.otherProvider.patch(pathOf(pickup), moveTo('FULFILLED'), 204)
    const { device } = (await w.provider.get(pathOf(line), 200)).body
    t.match(device, { ...numbers, endReason: { code: 'RETURNED' } })
    await w.provider.patch(pathOf(line), [{ op: 'add', path: '/device/lotNumber', value: 'L' }], 204)
    t.match((await w.nurse.get(pathOf(line), 200)).body.device, { ...device, lotNumber: 'L' })
  })
}

t.test('reads that show a related line are audited as reads of its order', async (t) => {
  for (const isDistributed of [false, true]) {
    const app = await appOf(isDistributed)
    const w = await world(app)
    const { line, order, pickup } = await fetchedByOther(w)
    const { order: delivering } = (await w.nurse.get(pathOf(line), 200)).body
    const list = `${orders}/order-lines?order=${encodeURIComponent(order)}`
    for (const path of [pathOf(pickup), `${pathOf(order)}/details`, list])
      for (const [by, expected] of [
        [w.nurse, [order, delivering]],
        [w.otherProvider, [order]]
      ] as const) {
        await by.get(path, 200)
        const [row] = await app.sql`select patients, coalesce(
            (select orders from audit_events target where target.id = a.same_as), orders) as orders
          from audit_events a where operation in ('getOrderLine', 'getOrderDetails', 'listOrderLine')
          order by recorded desc, id desc limit 1`
        t.same([...(row?.orders ?? [])].sort(), expected.map(idOf).sort(), `${path} ${expected.length}`)
      }
    const representation = { prefer: 'return=representation', 'content-type': 'application/json' }
    const writes = [
      ['PATCH', pathOf(pickup), [], 'patchOrderLine'],
      ['POST', `${orders}/order-line`, await pickupIn(w, line), 'createOrderLine']
    ] as const
    for (const [method, url, body, operation] of writes) {
      const payload = JSON.stringify(body)
      const response = await w.nurse.send({ method, url, headers: representation, payload })
      t.equal(response.body.relatedTo, line)
      const [row] = await app.sql`select orders from audit_events where operation = ${operation}
        order by recorded desc, id desc limit 1`
      t.ok(row?.orders.includes(idOf(delivering)), `${operation} shows the related line`)
    }
    await w.otherProvider.patch(pathOf(pickup), moveTo('FULFILLED'), 204)
    const [patch] = await app.sql`select orders from audit_events where operation = 'patchOrderLine'
      order by recorded desc, id desc limit 1`
    t.same(
      [...(patch?.orders ?? [])].sort(),
      [order, delivering].map(idOf).sort(),
      'the pickup changes a device of it'
    )
  }
})

t.test('events name the related line to readers who see it, and no number', async (t) => {
  const app = await appOf(false)
  const w = await world(app)
  const { line, pickup } = await fetchedByOther(w)
  await w.otherProvider.patch(pathOf(pickup), moveTo('FULFILLED'), 204)
  await w.provider.patch(pathOf(line), [{ op: 'add', path: '/device/udi', value: 'SN-2' }], 204)
  const moves = (events: Event[], subject: string) =>
    events
      .filter((each) => each.subject === subject && each.type === 'order-line.status-changed')
      .map(({ data }) => data.relatedTo)
  const { events: ofBuyer } = await readOn(w.nurse)
  t.same(moves(ofBuyer, pickup), [line, line])
  t.same(moves(ofBuyer, line), [null, null])
  t.same(moves((await readOn(w.otherProvider)).events, pickup), [null, null])
  t.same(
    ofBuyer
      .filter(({ subject }) => subject === line)
      .map(({ type, sequence }) => `${type} ${Number(sequence)}`),
    ['added 1', 'status-changed 2', 'status-changed 3', 'device-changed 4', 'device-changed 5'].map(
      (each) => `order-line.${each}`
    )
  )
  t.notMatch(JSON.stringify(ofBuyer), /SN-/)
  const [stored] =
    await app.sql`select count(*)::int as found from events where strpos(events::text, 'SN-') > 0`
  t.equal(stored?.found, 0)
})

t.test('a reader of events reads the orders whose lines they name', async (t) => {
  const app = await appOf(false)
  const w = await world(app)
  const { line, pickup } = await fetchedByOther(w)
  const { next } = await readOn(w.nurse)
  await w.otherProvider.patch(pathOf(pickup), moveTo('FULFILLED'), 204)
  await w.nurse.get(next, 200)
  const [row] = await app.sql`select orders from audit_events where operation like '%vents'
    order by recorded desc, id desc limit 1`
  const [delivering, fetching] = await Promise.all(
    [line, pickup].map(async (each) => idOf((await w.nurse.get(pathOf(each), 200)).body.order))
  )
  t.same([...(row?.orders ?? [])].sort(), [delivering, fetching].sort())
})

t.test('a tag covers a device that another order changes', async (t) => {
  const app = await appOf(false)
  const w = await world(app)
  const { line, pickup } = await fetchedByOther(w)
  const { order } = (await w.nurse.get(pathOf(line), 200)).body
  const paths = [pathOf(line), `${pathOf(order)}/details`]
  const tags = await Promise.all(paths.map(async (path) => (await w.nurse.get(path, 200)).headers.etag ?? ''))
  const read = (at: number) =>
    w.nurse.send({ method: 'GET', url: paths[at] ?? '', headers: { 'if-none-match': tags[at] ?? '' } })
  for (const at of paths.keys()) t.equal((await read(at)).status, 304)
  await w.otherProvider.patch(pathOf(pickup), moveTo('FULFILLED'), 204)
  for (const at of paths.keys()) t.equal((await read(at)).status, 200)
  const written = await w.provider.send({
    method: 'PATCH',
    url: pathOf(line),
    headers: { 'if-match': tags[0] ?? '', 'content-type': 'application/json' },
    payload: JSON.stringify([{ op: 'add', path: '/device/lotNumber', value: 'L' }])
  })
  t.equal(written.status, 204, 'the caller has changed nothing else')
})
