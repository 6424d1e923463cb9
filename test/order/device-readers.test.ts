import t from 'tap'
import { type TestApp, testWorld } from '../fixtures/app.js'
import { addOtherService } from '../fixtures/devices.js'
import { type Event, readOn } from '../fixtures/events/reading.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { add, catalogue, orders, organization, pathOf, transitionTo, type World } from '../fixtures/world.js'

const numbers = { serialNumber: 'SN-1', lotNumber: null, udi: null, expiryDate: null }

/** A delivered device, and a submitted line of the other seller that fetches it. */
async function fetchedByOther(w: World) {
  const item = await addOtherService(w)
  const { lines } = await w.submitted()
  const [line = ''] = lines
  const patch = [...transitionTo('FULFILLED'), add('/device/serialNumber', 'SN-1')]
  await w.provider.patch(pathOf(line), patch, 204)
  const order = await w.createDraft({ seller: w.otherSeller })
  const pickup = await w.addLine(order, { item, action: 'PICKUP', relatedTo: line })
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  return { line, order, pickup }
}

/** The body of a line in a new order that fetches a device. */
const pickupIn = async (w: World, relatedTo: string) => ({
  order: await w.createDraft(),
  item: w.monitor,
  action: 'PICKUP',
  relatedTo
})

t.test('another seller sees the device that it fetches, not its delivery', async (t) => {
  const { w } = await testWorld(t)
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
  await w.otherProvider.patch(pathOf(pickup), transitionTo('FULFILLED'), 204)
  const { device } = (await w.provider.get(pathOf(line), 200)).body
  t.match(device, { ...numbers, endReason: { code: 'RETURNED' } })
  await w.provider.patch(pathOf(line), [add('/device/lotNumber', 'L')], 204)
  t.match((await w.nurse.get(pathOf(line), 200)).body.device, { ...device, lotNumber: 'L' })
})

t.test('records reads that show a device as reads of the order that delivered it', async (t) => {
  const { app, w } = await testWorld(t)
  const { line, order, pickup } = await fetchedByOther(w)
  const { order: delivering } = (await w.nurse.get(pathOf(line), 200)).body
  const both = [order, delivering].map(idOf).sort()
  const query = `order=${encodeURIComponent(order)}`
  for (const path of [
    pathOf(pickup),
    `${pathOf(order)}/details`,
    `${pathOf(order)}/details?expand=items`,
    `${pathOf(order)}?expand=orderLines`,
    `${orders}/order-lines?${query}`,
    `${orders}/orders?expand=orderLines&status=SUBMITTED`
  ])
    for (const by of [w.nurse, w.otherProvider]) {
      await by.get(path, 200)
      t.same(await recordedOrders(app, '%'), both, path)
    }
  await w.otherProvider.get(`${orders}/order-lines?${query}`, 200, { accept: 'text/csv' })
  t.same(await recordedOrders(app, '%'), [idOf(order)], 'the CSV does not show it')
  const representation = { prefer: 'return=representation', 'content-type': 'application/json' }
  const writes = [
    ['PATCH', pathOf(pickup), [], 'patchOrderLine'],
    ['POST', `${orders}/order-line`, await pickupIn(w, line), 'createOrderLine']
  ] as const
  for (const [method, url, body, operation] of writes) {
    const payload = JSON.stringify(body)
    const response = await w.nurse.send({ method, url, headers: representation, payload })
    t.equal(response.body.relatedTo, line)
    t.ok((await recordedOrders(app, operation)).includes(idOf(delivering)), operation)
  }
  await w.otherProvider.patch(pathOf(order), transitionTo('FULFILLED'), 204)
  t.same(await recordedOrders(app, 'patchOrder'), both, 'the pickup changes a device of it')

  const events = `${orders}/audit-events`
  const ofDelivering = `${events}?order=${encodeURIComponent(delivering)}`
  t.match(JSON.stringify((await w.nurse.get(ofDelivering, 200)).body), idOf(delivering))
  const own = (await w.otherProvider.get(events, 200)).body
  t.match(JSON.stringify(own), idOf(order))
  t.notMatch(JSON.stringify(own), idOf(delivering), 'the other seller does not learn the order')
  t.same((await w.otherProvider.get(ofDelivering, 200)).body, [])
  for (const { id } of own) {
    const { body } = await w.otherProvider.get(`${orders}/audit-event/${id}`, 200)
    t.notMatch(JSON.stringify(body), idOf(delivering))
  }
})

/** The orders of the latest audit record of an operation. */
async function recordedOrders({ sql }: TestApp, operation: string): Promise<string[]> {
  const [row] = await sql`select coalesce(
      (select orders from audit_events target where target.id = a.same_as), orders) as orders
    from audit_events a where operation like ${operation} order by recorded desc, id desc limit 1`
  return [...new Set<string>(row?.orders ?? [])].sort()
}

t.test(
  'resolves the item of a device for the seller that delivered it, and for no other seller',
  async (t) => {
    const { app, w } = await testWorld(t)
    const item = await addOtherService(w)
    const { order: delivering, lines } = await w.submitted()
    const [line = ''] = lines
    await w.provider.patch(pathOf(delivering), transitionTo('FULFILLED'), 204)
    t.equal((await w.otherProvider.get(pathOf(w.monitor))).status, 404)
    const order = await w.createDraft({ seller: w.otherSeller })
    const replace = await w.addLine(order, { item, action: 'REPLACE', relatedTo: line })
    await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
    await w.otherProvider.patch(pathOf(replace), transitionTo('FULFILLED'), 204)
    const { device } = (await w.otherProvider.get(pathOf(replace), 200)).body
    t.equal(device.item, w.monitor)
    const shown = (await w.otherProvider.get(pathOf(device.item), 200)).body
    const list = `${orders}/order-lines?order=${encodeURIComponent(order)}`
    const { expanded } = (await w.otherProvider.get(`${list}&expand=items`, 200)).body
    t.same(expanded[device.item], shown)
    const csv = await w.otherProvider.get(list, undefined, { accept: 'text/csv' })
    t.match(String(csv.body), shown.name)

    const stranger = app.as('Provider', organization('nobody'))
    t.equal((await stranger.get(pathOf(w.monitor))).status, 404)
    t.equal((await w.otherProvider.get(pathOf(w.repair))).status, 404, 'an item of no device')
    const replaced = await w.otherProvider.put(pathOf(w.monitor), { ...shown, id: undefined })
    t.equal(replaced.status, 404, 'it reads the item only')
    const { body } = await w.otherProvider.get(`${catalogue}/catalogue-items`, 200)
    t.notOk(
      body.some(({ id }: { id: string }) => id === idOf(w.monitor)),
      'its list has its own items'
    )
  }
)

t.test('events name the related line to readers who see it, and no number', async (t) => {
  const { app, w } = await testWorld(t)
  const { line, pickup } = await fetchedByOther(w)
  await w.otherProvider.patch(pathOf(pickup), transitionTo('FULFILLED'), 204)
  await w.provider.patch(pathOf(line), [add('/device/udi', 'SN-2')], 204)
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

t.test('a read of events is recorded with the orders whose lines they name', async (t) => {
  const { app, w } = await testWorld(t)
  const { line, pickup } = await fetchedByOther(w)
  const { next } = await readOn(w.nurse)
  await w.otherProvider.patch(pathOf(pickup), transitionTo('FULFILLED'), 204)
  await w.nurse.get(next, 200)
  const [row] = await app.sql`select orders from audit_events where operation like '%vents'
    order by recorded desc, id desc limit 1`
  const [delivering, fetching] = await Promise.all(
    [line, pickup].map(async (each) => idOf((await w.nurse.get(pathOf(each), 200)).body.order))
  )
  t.same([...(row?.orders ?? [])].sort(), [delivering, fetching].sort())
})

t.test('a tag covers a device that another order changes', async (t) => {
  const { w } = await testWorld(t)
  const { line, pickup } = await fetchedByOther(w)
  const { order } = (await w.nurse.get(pathOf(line), 200)).body
  const paths = [pathOf(line), `${pathOf(order)}/details`]
  const tags = await Promise.all(paths.map(async (path) => (await w.nurse.get(path, 200)).headers.etag ?? ''))
  const read = (at: number) => w.nurse.get(paths[at] ?? '', undefined, { 'if-none-match': tags[at] ?? '' })
  for (const at of paths.keys()) t.equal((await read(at)).status, 304)
  await w.otherProvider.patch(pathOf(pickup), transitionTo('FULFILLED'), 204)
  for (const at of paths.keys()) t.equal((await read(at)).status, 200)
  const ifMatch = { 'if-match': tags[0] ?? '' }
  // The caller has changed nothing else.
  await w.provider.patch(pathOf(line), [add('/device/lotNumber', 'L')], 204, ifMatch)
})
