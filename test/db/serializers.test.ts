import t from 'tap'
import { toCatalogue, toItem } from '../../src/catalogue/serializers.js'
import { catalogueItems, catalogues } from '../../src/catalogue/tables.js'
import { BYTES_OF_MEMBERS } from '../../src/db/sql/page.js'
import { toOrder } from '../../src/order/serialize.js'
import { orders as orderTable } from '../../src/order/store/tables.js'
import { testApp } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { catalogue, deviceModel, orders, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

/** Texts with characters that JSON escapes or leaves as they are. */
const odd = [
  'plain',
  'quotes " and \' and \\ and \\n and \\" and \\u0041',
  'lines\nand\ttabs\r\b\f\u0001\u001f\u007f',
  'æøå ÆØÅ 体温 🩺 \u2028\u2029 \u00a0 \ufeff',
  '{"a":1} $1 %s $x </script> --',
  '~/valuesets'
] as const
const [plain, quotes, lines, letters, code] = odd

t.test('lists, details and single reads serialize a row alike', async (t) => {
  const app = await testApp(t)
  const { nurse, provider, clerk, ...w } = await world(app)
  const { buyer, monitor, repair } = w
  const get = async (address: string) => (await nurse.get(address, 200)).body

  const receiver = { patient: patient('p1') }
  const contents = odd.map((text, at) => ({
    name: text,
    priority: at % 2 === 0,
    notes: at === 0 ? [] : [{ note: text }],
    identifiers: [{ system: 'urn:x', value: text, assigner: at === 1 ? null : quotes }],
    receiver:
      at === 0
        ? { ...receiver, name: plain }
        : {
            ...receiver,
            name: text,
            addressLine1: text,
            addressLine2: quotes,
            postalCode: code,
            postalDistrict: letters,
            email: 'a@b.example',
            phone: lines
          }
  }))

  t.test('orders, with their lines and their trace', async (t) => {
    const addresses: string[] = []
    const others: string[] = []
    for (const content of contents) {
      const order = await w.createDraft(content)
      await w.addLine(order)
      const line = await w.addLine(order, { item: repair, action: 'REPAIR' })
      await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
      await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
      const reason = { op: 'add', path: '/statusReason', value: { text: content.name } }
      await provider.patch(pathOf(line), [...transitionTo('UNFULFILLED'), reason], 204)
      const cancelled = await w.createDraft(content)
      const coded = { ...reason, value: { ...reason.value, code: 'OTHER' } }
      await nurse.patch(pathOf(cancelled), [...transitionTo('CANCELLED'), coded], 204)
      await nurse.patch(pathOf(line), transitionTo('SUBMITTED'), 204)
      await provider.patch(pathOf(line), transitionTo('FULFILLED'), 204)
      const returned = { ...reason, value: { ...reason.value, code: 'NO_ANSWER' } }
      for (const each of (await get(`${orders}/order-lines?order=${encodeURIComponent(order)}`)).slice(0, 1))
        await provider.patch(
          `${orders}/order-line/${each.id}`,
          [...transitionTo('UNFULFILLED'), returned],
          204
        )
      addresses.push(order)
      others.push(cancelled)
    }
    addresses.push(await w.createDraft())
    const listed = new Map((await get(`${orders}/orders`)).map((each: { id: string }) => [each.id, each]))
    t.equal(listed.size, addresses.length + others.length)
    for (const address of others) {
      const order = await get(pathOf(address))
      t.match(order, { statusReason: { code: { code: 'OTHER' }, text: order.name } })
      const { allowedStatuses, ...shown } = order
      t.same(listed.get(order.id), shown)
      t.same((await get(`${pathOf(address)}/details`)).order, order)
    }
    for (const [at, address] of addresses.entries()) {
      const order = await get(pathOf(address))
      if (contents[at]) t.match(order, { name: odd[at], receiver: contents[at].receiver })
      const { allowedStatuses, ...shown } = order
      t.same(listed.get(order.id), shown)
      t.type(allowedStatuses, Array, 'lists alone lack the moves of their caller')
      const asked = encodeURIComponent(address)
      const lines: { id: string }[] = await get(`${orders}/order-lines?order=${asked}`)
      const parts = {
        orderLines: await Promise.all(lines.map(({ id }) => get(`${orders}/order-line/${id}`))),
        traceLines: await get(`${orders}/trace-lines?order=${asked}`)
      }
      t.same(await get(`${pathOf(address)}/details`), { order, ...parts })
      t.same(await get(`${pathOf(address)}/details?form=flat`), { ...order, ...parts })
      t.same(
        lines,
        parts.orderLines.map(({ allowedStatuses, ...line }) => line)
      )
      t.equal(parts.orderLines.length, contents[at] ? 2 : 0)
    }
  })

  t.test('items, with their annotations', async (t) => {
    const made = odd.flatMap((text) => [
      { name: text, description: text, manufacturer: text, model: quotes, version: text },
      { name: text, description: null, serviceType: 'REPAIR', relatedTo: monitor },
      { name: text, serviceType: 'DELIVER' }
    ])
    for (const item of made) {
      const catalogueItemType = 'manufacturer' in item ? 'DeviceModel' : 'Service'
      const address = await provider.create(`${catalogue}/catalogue-item`, {
        catalogueItemType,
        catalogue: w.catalogue,
        identifiers: [{ system: 'urn:x', value: `${item.name} ${made.indexOf(item)}` }],
        ...item
      })
      await clerk.create(`${catalogue}/white-list`, { buyer, item: address })
    }
    const items = await get(`${catalogue}/catalogue-items`)
    t.equal(items.length, made.length + 2)
    for (const { seller, ...each } of items) {
      t.equal(seller, w.seller)
      t.same(await get(`${catalogue}/catalogue-item/${each.id}`), each)
    }

    for (const text of odd)
      await app.sql`insert into annotations (id, item_id, buyer_id, name, system, code, display, created_at)
        select gen_random_uuid(), ${idOf(monitor)}, ${idOf(buyer)}, ${text}, ${text}, ${text}, display, now()
        from (values (${text}), (null)) as two (display) where display is null = (${text} = ${quotes})`
    const asked = `?buyer=${encodeURIComponent(buyer)}`
    const ofBuyer = await get(`${catalogue}/catalogue-items${asked}`)
    t.equal(ofBuyer.length, items.length)
    for (const { annotations, seller, ...each } of ofBuyer) {
      t.equal(seller, w.seller)
      t.same(await get(`${catalogue}/catalogue-item/${each.id}`), each)
      const item = encodeURIComponent(
        `${w.catalogue.replace(/catalogue\/[^/]*$/, 'catalogue-item')}/${each.id}`
      )
      t.same(annotations, await get(`${catalogue}/annotations?catalogueItem=${item}`))
    }
  })
})

t.test('the stored size of a row covers the long parts of its JSON', async (t) => {
  const app = await testApp(t)
  const { clerk, ...w } = await world(app)
  for (const text of odd) {
    const identifiers = [{ system: 'urn:x', value: text.repeat(20) }]
    const receiver = { name: text, addressLine1: text, email: text, phone: text, patient: patient('p1') }
    await w.createDraft({ name: text, identifiers, notes: [{ note: text.repeat(100) }], receiver })
    await clerk.create(`${catalogue}/catalogue`, { seller: w.seller, name: text, identifiers })
    const model = { manufacturer: text, model: text, version: text, description: text.repeat(20) }
    const item = deviceModel(w.catalogue, { name: text, identifiers, ...model })
    await clerk.create(`${catalogue}/catalogue-item`, item)
  }
  const ports = app.app
  const sizeOf = (resource: object, row: { jsonBytes: number }) => ({
    bytes: Buffer.byteLength(JSON.stringify(resource)),
    stored: row.jsonBytes
  })
  const sizes = {
    orders: (await ports.db.select().from(orderTable)).map((row) =>
      sizeOf(toOrder(ports, {}, row, { attention: [] }), row)
    ),
    catalogues: (await ports.db.select().from(catalogues)).map((row) =>
      sizeOf(toCatalogue(ports, {}, row), row)
    ),
    items: (await ports.db.select().from(catalogueItems)).map((row) => sizeOf(toItem(ports, {}, row), row))
  }
  for (const [table, rows] of Object.entries(sizes)) {
    t.ok(rows.length >= odd.length, table)
    for (const { bytes, stored } of rows) {
      t.ok(stored <= bytes * 2, `${table}: ${stored} for ${bytes}`)
      t.ok(bytes <= stored + BYTES_OF_MEMBERS, `${table}: ${stored} for ${bytes}`)
    }
  }
})

t.test('a code that was removed from its set is shown with the system of the set', async (t) => {
  const app = await testApp(t)
  const { nurse, submitted } = await world(app)
  const { order } = await submitted()
  await app.sql`update order_lines set action = 'EX"TINCT'`
  const { body } = await nurse.get(`${pathOf(order)}/details`, 200)
  const { body: lines } = await nurse.get(`${orders}/order-lines`, 200)
  t.match(body.orderLines, lines)
  t.match(body.orderLines, [{ action: { code: 'EX"TINCT', display: null, system: /^http/ } }])
})
