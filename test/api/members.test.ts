import t from 'tap'
import { PatchedOrder, readOnlyMembers } from '../../src/order/model/order.schemas.js'
import { testWorld } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import {
  catalogue,
  deviceModel,
  orders,
  party,
  pathOf,
  patient,
  replace,
  withQuery
} from '../fixtures/world.js'

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
}

/** JSON Pointers to every leaf member of a schema; index 0 stands for array entries. */
function leavesOf(schema: Schema, pointer = ''): string[] {
  if (schema.items) return [pointer, ...leavesOf(schema.items, `${pointer}/0`)]
  const types = [schema.type].flat()
  if (!schema.properties || types.includes('string')) return [pointer]
  return Object.entries(schema.properties).flatMap(([name, each]) => leavesOf(each, `${pointer}/${name}`))
}

/** A copy of a value with one member changed. */
function changed<T extends object>(value: T, pointer: string, to: unknown): T {
  const copy = structuredClone(value) as Record<string, unknown>
  const names = pointer.split('/').slice(1)
  const last = names.pop() ?? ''
  const holder = names.reduce((at, name) => at[name] as Record<string, unknown>, copy)
  holder[last] = to
  return copy as T
}

t.test('every member can be changed alone', async (t) => {
  const { app, w } = await testWorld(t)
  const { clerk, nurse } = w
  const secondBuyer = await clerk.create(`${orders}/party`, party('region', 'BUYER'))

  const full = {
    identifiers: [{ system: 'urn:s', value: 'v', assigner: 'a' }],
    name: 'Order',
    earliestDeliveryDate: '2026-03-04',
    latestDeliveryDate: '2026-03-06',
    priority: false,
    notes: [
      { timestamp: '2026-01-01T00:00:00.000Z', authorName: 'A', authorOrganization: 'O', note: 'First' }
    ],
    receiver: {
      name: 'R',
      addressLine1: '1',
      addressLine2: '2',
      postalCode: '3',
      postalDistrict: '4',
      email: '5',
      phone: '6',
      patientName: '7',
      patient: patient('p1')
    }
  }

  /** An order as lists return it, without the time of its change, which differs. */
  const lasting = ({ updated, ...order }: Record<string, unknown>) => order
  const listed = ({ allowedStatuses, ...order }: Record<string, unknown>) => lasting(order)

  t.test('an order stores each changed member', async (t) => {
    /** Values for members that do not accept any text. */
    const others: Record<string, unknown> = {
      '/priority': true,
      '/earliestDeliveryDate': '2026-03-05',
      '/latestDeliveryDate': '2026-03-05',
      '/buyer': secondBuyer,
      '/seller': w.otherSeller,
      '/receiver/patient': patient('p2'),
      '/receiver/clinicalRef': patient('p3'),
      '/notes/0/timestamp': '2026-02-02T02:02:02.222Z',
      '/identifiers': [],
      '/notes': []
    }
    const stored: Record<string, string> = {
      '/receiver/addressLine 1': '/receiver/addressLine1',
      '/receiver/clinicalRef': '/receiver/patient'
    }
    const schema = PatchedOrder as Schema
    const fixed = ['id', 'status', 'statusReason', 'awaiting', ...Object.keys(readOnlyMembers)]
    const pointers = leavesOf(schema).filter((pointer) => !fixed.includes(pointer.split('/')[1] ?? ''))
    t.equal(pointers.length, 26)
    for (const pointer of pointers) {
      const order = pathOf(await w.createDraft(full))
      const before = (await nurse.get(order, 200)).body
      const value = others[pointer] ?? 'Changed'
      await nurse.patch(order, [replace(stored[pointer] ?? pointer, value)], 204)
      const after = changed(before, stored[pointer] ?? pointer, value)
      const single = (await nurse.get(order, 200)).body
      t.same(lasting(single), lasting(after), pointer)
      t.same((await nurse.get(`${order}/details`, 200)).body.order, single, `${pointer} in the details`)
      const { body } = await nurse.get(`${orders}/orders?limit=1`, 200)
      t.same(body.map(lasting), [listed(after)], `${pointer} in the list`)
    }
  })

  t.test('an order clears each nullable member', async (t) => {
    const { name, patient, ...nullable } = full.receiver
    const pointers = [
      ...['/name', '/earliestDeliveryDate', '/latestDeliveryDate', '/identifiers/0/assigner'],
      ...Object.keys(nullable).map((each) => `/receiver/${each}`)
    ]
    for (const pointer of pointers)
      for (const operation of [{ op: 'remove', path: pointer }, replace(pointer, null)]) {
        const order = pathOf(await w.createDraft(full))
        const before = (await nurse.get(order, 200)).body
        await nurse.patch(order, [operation], 204)
        const after = (await nurse.get(order, 200)).body
        t.same(lasting(after), lasting(changed(before, pointer, null)), JSON.stringify(operation))
      }
  })

  t.test('a role is stored once, in each accepted form', async (t) => {
    const twice = party('region', 'SELLER', 'buyer', 'BUYER', 'SELLER')
    const created = pathOf(await clerk.create(`${orders}/party`, twice))
    t.same((await clerk.get(created, 200)).body.allowedRoles, ['SELLER', 'BUYER'])
  })

  t.test('members of the other item type may only be null', async (t) => {
    const service = { ...{ catalogueItemType: 'Service', serviceType: 'REPAIR' }, name: 'I' }
    const types: [item: object, others: Record<string, string>][] = [
      [deviceModel(w.catalogue), { relatedTo: w.monitor, serviceType: 'REPAIR' }],
      [
        { ...service, catalogue: w.catalogue },
        { manufacturer: 'm', model: 'o', version: 'v' }
      ]
    ]
    for (const [item, others] of types)
      for (const [name, value] of Object.entries(others)) {
        const post = (given: unknown) => clerk.post(`${catalogue}/catalogue-item`, { ...item, [name]: given })
        t.equal((await post(null)).status, 201, `${name}: null`)
        t.match(await post(value), { status: 400, body: { errors: [{ pointer: `/${name}` }] } }, name)
      }
  })

  t.test('an order is found by its current name', async (t) => {
    const count = async (q: string) =>
      (await nurse.get(withQuery(`${orders}/orders`, { q }), 200)).body.length
    for (const pointer of ['/name', '/identifiers/0/value', '/receiver/name']) {
      const text = (when: string) => `${when}${pointer.replaceAll(/\W/g, '')}`
      const order = pathOf(await w.createDraft(changed(full, pointer, text('earlier'))))
      t.equal(await count(text('earlier')), 1)
      await nurse.patch(order, [replace(pointer, text('present'))], 204)
      t.same([await count(text('earlier')), await count(text('present'))], [0, 1], pointer)
    }
  })

  t.test('an item is found by its current name', async (t) => {
    const count = async (q: string) =>
      (await clerk.get(withQuery(`${catalogue}/catalogue-items`, { q }), 200)).body.length
    const counts = (text: string) => Promise.all([1, 2, 3, 4].map((at) => count(`${text}${at}`)))
    const item = deviceModel(w.catalogue, {
      ...{ name: 'found1', manufacturer: 'found2', model: 'found3' },
      identifiers: [{ system: 'urn:f', value: 'found4' }]
    })
    const created = pathOf(await clerk.create(`${catalogue}/catalogue-item`, item))
    t.same(await counts('found'), [1, 1, 1, 1])
    await clerk.put(created, JSON.parse(JSON.stringify(item).replaceAll('found', 'later')), 204)
    t.same(await counts('later'), [1, 1, 1, 1])
    t.same(await counts('found'), [0, 0, 0, 0])
  })

  t.test('unchanged lines are not written', async (t) => {
    const order = await w.createDraft()
    const [, second] = [await w.addLine(order), await w.addLine(order)]
    const writers = () => app.sql`
      select xmin::text as writer from order_lines where order_id = ${idOf(order)} order by id`
    const before = await writers()
    await nurse.patch(pathOf(second), [replace('/action', 'REPAIR')], 204)
    const after = await writers()
    const isSame = (at: number) => after[at]?.writer === before[at]?.writer
    t.same([isSame(0), isSame(1)], [true, false])
  })

  t.test('an order line stores each changed member', async (t) => {
    const order = await w.createDraft()
    const cases = [
      { path: '/item', value: w.repair, changed: { item: w.repair } },
      { path: '/action', value: 'REPAIR', changed: { action: { code: 'REPAIR' } } },
      { path: '/action/code', value: 'REPAIR', changed: { action: { code: 'REPAIR' } } }
    ]
    for (const { path, value, changed } of cases) {
      const line = pathOf(await w.addLine(order))
      const before = (await nurse.get(line, 200)).body
      await nurse.patch(line, [replace(path, value)], 204)
      t.match((await nurse.get(line, 200)).body, { ...before, ...changed }, path)
    }
  })
})
