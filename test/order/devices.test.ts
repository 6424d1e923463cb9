import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { deliverLine, lineTrace, plantDelivery, read, submittedLine } from '../fixtures/devices.js'
import { vs } from '../fixtures/routes/bodies.js'
import { outcome, secret } from '../fixtures/routes/refusal.js'
import { add, orders, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

const numbers = { serialNumber: secret, lotNumber: 'L 1', udi: '(01)0571(21)7', expiryDate: '2029-03-31' }
const inUse = { until: null, endReason: null }
const ended = (code: string) => ({ ...vs('device-end-reason', code) })

const app = await testApp(t)

const orderOf = async (caller: Caller, line: string): Promise<string> => (await read(caller, line)).order

t.test('a fulfilled DELIVER line shows its device, in every read', async (t) => {
  const w = await world(app)
  const open = await submittedLine(w)
  t.match(await read(w.nurse, open), { device: null, relatedTo: null, relatedDevice: null })
  const line = await deliverLine(w, [add('/device', numbers)])
  const shown = await read(w.nurse, line)
  t.match(shown.device, { item: w.monitor, ...numbers, ...inUse })
  const [moved] = (await lineTrace(w.nurse, line))
    .filter(({ text }) => text === 'Order line status changed.')
    .slice(-1)
  t.equal(shown.device.from, moved?.timestamp)
  const order = pathOf(shown.order)
  const { body: details } = await w.provider.get(`${order}/details`, 200)
  t.same(details.orderLines, [shown])
  t.same((await w.provider.get(`${order}/details?form=flat`, 200)).body.orderLines, [shown])
  const { body: list } = await w.nurse.get(
    `${orders}/order-lines?order=${encodeURIComponent(shown.order)}`,
    200
  )
  const { allowedStatuses, ...listed } = shown
  t.same(list, [listed])
  const { body: expanded } = await w.nurse.get(`${order}?expand=orderLines`, 200)
  t.same(expanded.expanded[line], shown)
})

t.test('a line without a model delivers no device', async (t) => {
  const w = await world(app)
  const delivery = { name: 'Delivery', serviceType: 'DELIVER' }
  const forAllModels = await w.addService(delivery)
  const ofMonitor = await w.addService({ ...delivery, relatedTo: w.monitor })
  for (const { line, device } of [
    { line: { item: forAllModels }, device: null },
    { line: { item: w.monitor, action: 'REPAIR' }, device: null },
    { line: { item: ofMonitor }, device: { item: w.monitor } },
    {
      line: { item: forAllModels, action: 'REPLACE', relatedTo: await deliverLine(w) },
      device: { item: w.monitor }
    },
    { line: { item: w.monitor, action: 'REPLACE' }, device: { item: w.monitor } }
  ]) {
    const url = await submittedLine(w, line)
    await w.provider.patch(pathOf(url), transitionTo('FULFILLED'), 204)
    t.match((await read(w.nurse, url)).device, device, JSON.stringify(line))
  }
})

t.test('the first fulfilled pickup ends the use of a device', async (t) => {
  const w = await world(app)
  const line = await deliverLine(w, [add('/device', numbers)])
  const [first, second] = [
    await submittedLine(w, { action: 'PICKUP', relatedTo: line }),
    await submittedLine(w, { action: 'PICKUP', relatedTo: `${line}/` })
  ]
  t.match(await read(w.provider, first), {
    relatedTo: line,
    relatedDevice: { name: 'Blood pressure monitor', manufacturer: 'A&D', model: 'UA-767', ...numbers },
    device: null
  })
  await w.provider.patch(pathOf(second), transitionTo('FULFILLED'), 204)
  const { device } = await read(w.nurse, line)
  t.match(device.endReason, ended('RETURNED'))
  t.match((await lineTrace(w.nurse, second)).at(-1), {
    text: 'Device use ended.',
    supplementaryText: 'Reason: RETURNED.',
    statusChange: null
  })
  await w.provider.patch(pathOf(first), transitionTo('FULFILLED'), 204)
  t.same((await read(w.nurse, line)).device, device, 'the second pickup changes nothing')
  t.equal((await lineTrace(w.nurse, first)).at(-1)?.text, 'Order line status changed.')
  t.equal((await read(w.nurse, first)).status.code, 'FULFILLED')
})

t.test('two lines of an order that becomes FULFILLED end a device once', async (t) => {
  const w = await world(app)
  const line = await deliverLine(w)
  const order = await w.createDraft()
  const pickup = await w.addLine(order, { action: 'PICKUP', relatedTo: line })
  const replace = await w.addLine(order, { action: 'REPLACE', relatedTo: line })
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  await w.provider.patch(pathOf(order), transitionTo('FULFILLED'), 204)
  t.match((await read(w.nurse, line)).device.endReason, ended('RETURNED'))
  t.match((await read(w.nurse, replace)).device, inUse)
  t.equal((await read(w.nurse, pickup)).device, null)
})

t.test('the provider writes numbers later, also in a closed order', async (t) => {
  const w = await world(app)
  const line = await deliverLine(w)
  const path = pathOf(line)
  t.equal((await read(w.nurse, await orderOf(w.nurse, line))).status.code, 'FULFILLED')
  const write = (...patch: object[]) => w.provider.patch(path, patch, 204)
  const device = async () => (await read(w.nurse, line)).device
  await write(add('/device/serialNumber', secret), add('/device/expiryDate', '2029-03-31'))
  t.match(await device(), { serialNumber: secret, lotNumber: null, udi: null, expiryDate: '2029-03-31' })
  await write(add('/device', { lotNumber: 'L2' }))
  t.match(await device(), { serialNumber: null, lotNumber: 'L2', expiryDate: null, ...inUse }, 'a new object')
  await write(add('/device', { ...(await device()), udi: '' }), { op: 'remove', path: '/device/lotNumber' })
  t.match(await device(), { lotNumber: null, udi: null }, 'an empty number is none')
  const before = await lineTrace(w.nurse, line)
  await write({ op: 'test', path: '/device/udi', value: null }, add('/device/udi', ''))
  const trace = await lineTrace(w.nurse, line)
  t.same(trace, before, 'nothing changed')
  const changes = trace.filter(({ text }) => text === 'Order line device changed.')
  t.same(
    changes.map(({ supplementaryText, statusChange }) => [supplementaryText, statusChange]),
    ['serialNumber, expiryDate', 'serialNumber, lotNumber, expiryDate', 'lotNumber'].map((names) => [
      `Changed: ${names}.`,
      null
    ])
  )
  const [{ found } = { found: -1 }] =
    await app.sql`select count(*)::int as found from trace_lines t where strpos(t::text, ${secret}) > 0`
  t.equal(found, 0)
})

t.test('either side ends the use of a device by hand, and takes that back', async (t) => {
  const w = await world(app)
  for (const [reason, by] of [
    ['LOST', w.nurse],
    ['discarded', w.provider],
    [{ ...vs('device-end-reason', 'KEPT'), display: 'x' }, w.nurse]
  ] as const) {
    const line = await deliverLine(w)
    const code = typeof reason === 'string' ? reason.toUpperCase() : reason.code
    await by.patch(pathOf(line), [add('/device/endReason', reason)], 204)
    const { device } = await read(w.nurse, line)
    t.match(device.endReason, ended(code))
    t.ok(device.until >= device.from)
    t.match((await lineTrace(w.nurse, line)).at(-1), {
      text: 'Device use ended.',
      supplementaryText: `Reason: ${code}.`
    })
    t.equal(
      outcome(await by.patch(pathOf(line), [add('/device/endReason', 'LOST')])),
      '409 device-ended /0/value'
    )
    await w.provider.patch(pathOf(line), [{ op: 'remove', path: '/device/endReason' }], 204)
    t.match((await read(w.nurse, line)).device, inUse)
    t.match((await lineTrace(w.nurse, line)).at(-1), { supplementaryText: 'Changed: endReason.' })
  }
})

t.test('ends a device by the line that fetched or replaced it when an end by hand is removed', async (t) => {
  const w = await world(app)
  const remove = [{ op: 'remove', path: '/device/endReason' }]
  for (const reason of ['LOST', 'DISCARDED', 'KEPT'])
    for (const [action, code] of [
      ['PICKUP', 'RETURNED'],
      ['REPLACE', 'REPLACED']
    ] as const) {
      const line = await deliverLine(w)
      const [first, second] = [
        await submittedLine(w, { action, relatedTo: line }),
        await submittedLine(w, { action: 'PICKUP', relatedTo: line })
      ]
      await w.nurse.patch(pathOf(line), [add('/device/endReason', reason)], 204)
      for (const each of [first, second]) await w.provider.patch(pathOf(each), transitionTo('FULFILLED'), 204)
      t.match((await read(w.nurse, line)).device.endReason, ended(reason), 'as long as it is not removed')
      await w.nurse.patch(pathOf(line), remove, 204)
      const { device } = await read(w.nurse, line)
      const fulfilled = (await lineTrace(w.nurse, first)).at(-1)
      t.match(device, { endReason: ended(code), until: fulfilled?.timestamp })
      t.match((await lineTrace(w.nurse, line)).slice(-2), [
        { text: 'Order line device changed.', supplementaryText: 'Changed: endReason.' },
        { text: 'Device use ended.', supplementaryText: `Reason: ${code}.` }
      ])
      t.equal(outcome(await w.nurse.patch(pathOf(line), remove)), '409 device-ended /0')
    }
})

t.test('rejects invalid changes of a device', async (t) => {
  const w = await world(app)
  const [line, open, repair, fetched] = [
    await deliverLine(w),
    await submittedLine(w),
    await submittedLine(w, { item: w.repair, action: 'REPAIR' }),
    await deliverLine(w)
  ]
  const pickup = await submittedLine(w, { action: 'PICKUP', relatedTo: fetched })
  await w.provider.patch(pathOf(pickup), transitionTo('FULFILLED'), 204)
  const { from } = (await read(w.nurse, line)).device
  const remove = (path: string) => ({ op: 'remove', path })
  const fulfil = transitionTo('FULFILLED')
  const identifier = { system: 'urn:x', value: '1', assigner: null }
  const cases: [by: Caller, line: string, patch: object[], refusal: string][] = [
    [w.provider, open, [add('/device/udi', 'U')], '422 no-device /0/value'],
    [w.provider, open, [add('/device', {})], '422 no-device /0/value'],
    [w.provider, pickup, [add('/device', { udi: 'U' })], '422 no-device /0/value'],
    [w.provider, repair, [...fulfil, add('/device/lotNumber', 'L')], '422 no-device /1/value'],
    [w.nurse, open, [add('/device/endReason', 'LOST')], '422 no-device /0/value'],
    [w.nurse, line, [add('/device/udi', 'U')], '403 not-your-move /0/value'],
    [w.nurse, open, [add('/device', { udi: 'U' })], '403 not-your-move /0/value/udi'],
    [w.otherProvider, line, [add('/device/udi', 'U')], '404 not-found'],
    [w.otherNurse, line, [add('/device/endReason', 'LOST')], '404 not-found'],
    [w.provider, line, [add('/device/udi', 'æ')], '422 invalid-result /0/value'],
    [w.provider, line, [add('/device/udi', 'a\u001cb')], '422 invalid-result /0/value'],
    [w.provider, line, [add('/device/serialNumber', 'x'.repeat(101))], '422 invalid-result /0/value'],
    [w.provider, line, [add('/device/expiryDate', '2029-02-30')], '422 invalid-result /0/value'],
    [w.provider, line, [add('/device/expiryDate', '0000-01-01')], '422 invalid-result /0/value'],
    [w.provider, line, [add('/device/weight', 3)], '422 unpatchable-target /0'],
    [w.provider, line, [add('/device/from', from.replace('20', '19'))], '422 read-only /0/value'],
    [w.provider, line, [add('/device/until', from)], '422 read-only /0/value'],
    [w.provider, line, [add('/device', { item: w.repair })], '422 read-only /0/value/item'],
    [w.provider, line, [remove('/device/item')], '422 read-only /0'],
    [w.provider, line, [remove('/device')], '422 read-only /0'],
    [w.provider, open, [...fulfil, add('/device/name', 'N')], '422 read-only /1/value'],
    [w.provider, line, [add('/orderedItem/name', 'N')], '422 read-only /0/value'],
    [w.provider, line, [add('/device/version', '2')], '422 read-only /0/value'],
    [w.provider, line, [add('/device/identifiers/0', identifier)], '422 read-only /0/value'],
    [w.provider, line, [add('/relatedDevice', {})], '422 read-only /0/value'],
    [w.provider, line, [add('/device/endReason', 'RETURNED')], '422 unknown-coding /0/value'],
    [w.nurse, line, [add('/device/endReason', 'EATEN')], '422 unknown-coding /0/value'],
    [w.nurse, fetched, [remove('/device/endReason')], '409 device-ended /0'],
    [w.provider, fetched, [add('/device/endReason', 'LOST')], '409 device-ended /0/value']
  ]
  for (const [by, url, patch, refusal] of cases)
    t.equal(outcome(await by.patch(pathOf(url), patch)), refusal, JSON.stringify(patch).slice(0, 99))
  await w.provider.patch(pathOf(fetched), [add('/device/udi', 'U')], 204)
})

t.test('a line relates to a device in use of its patient that matches its item', async (t) => {
  const w = await world(app)
  const [same, scale, namesake] = [
    await w.addModel({ model: 'UA-767' }),
    await w.addModel(),
    await w.addModel({ model: 'UA-767', manufacturer: 'Another manufacturer' })
  ]
  const [ofSame, ofScale, ofNamesake, ofAny] = [
    await w.addService({ relatedTo: same }),
    await w.addService({ relatedTo: scale }),
    await w.addService({ relatedTo: namesake }),
    await w.addService()
  ]
  const receiver = { name: 'Other', patient: patient('p2') }
  const line = await deliverLine(w)
  const [lost, open] = [await deliverLine(w), await submittedLine(w)]
  await w.nurse.patch(pathOf(lost), [add('/device/endReason', 'LOST')], 204)
  const ofOther = await deliverLine(w, [], { receiver })
  const elsewhere = line.replace(/.{12}$/, '000000000000')
  const dangling = '422 dangling-reference /relatedTo'
  const notInUse = '422 device-not-in-use /relatedTo'
  const unrelated = '422 unrelated-item /relatedTo'
  const order = await w.createDraft()
  for (const { body, expected } of [
    { body: { item: w.monitor, action: 'DELIVER', relatedTo: line }, expected: unrelated },
    { body: { item: w.monitor, action: 'PICKUP', relatedTo: line }, expected: '201' },
    { body: { item: scale, action: 'PICKUP', relatedTo: line }, expected: unrelated },
    { body: { item: same, action: 'PICKUP', relatedTo: line }, expected: unrelated },
    { body: { item: scale, action: 'REPLACE', relatedTo: line }, expected: '201' },
    { body: { item: w.repair, action: 'REPAIR', relatedTo: line }, expected: '201' },
    { body: { item: ofSame, action: 'REPAIR', relatedTo: line }, expected: '201' },
    { body: { item: ofScale, action: 'REPAIR', relatedTo: line }, expected: unrelated },
    { body: { item: ofNamesake, action: 'REPAIR', relatedTo: line }, expected: unrelated },
    { body: { item: ofScale, action: 'REPLACE', relatedTo: line }, expected: unrelated },
    { body: { item: ofAny, action: 'TRAINING', relatedTo: line }, expected: '201' },
    { body: { item: w.monitor, action: 'PICKUP', relatedTo: elsewhere }, expected: dangling },
    { body: { item: w.monitor, action: 'PICKUP', relatedTo: order }, expected: dangling },
    { body: { item: w.monitor, action: 'PICKUP', relatedTo: ofOther }, expected: dangling },
    { body: { item: w.monitor, action: 'PICKUP', relatedTo: lost }, expected: notInUse },
    { body: { item: w.monitor, action: 'PICKUP', relatedTo: open }, expected: notInUse },
    { body: { item: w.monitor, action: 'PICKUP', relatedTo: null, device: null }, expected: '201' }
  ]) {
    const title = JSON.stringify(body)
    t.equal(outcome(await w.nurse.post(`${orders}/order-line`, { order, ...body })), expected, title)
    const draft = w.draft({ orderLines: [{ item: w.monitor, action: 'DELIVER' }, body] })
    const inOrder = expected.replace(' /', ' /orderLines/1/')
    t.equal(outcome(await w.nurse.post(`${orders}/order`, draft)), inOrder, title)
    const plain = await w.addLine(order, { item: body.item, action: body.action })
    const patched = await w.nurse.patch(pathOf(plain), [add('/relatedTo', body.relatedTo)])
    t.equal(outcome(patched), expected.replace('201', '204').replace('/relatedTo', '/0/value'), title)
    await w.nurse.delete(pathOf(plain), 204)
  }
})

t.test('an error of an item or an end reason says which rule is broken, and what to do', async (t) => {
  const w = await world(app)
  const [line, model] = [await deliverLine(w), await w.addModel()]
  const order = await w.createDraft()
  const detailOf = async (body: object) =>
    (await w.nurse.post(`${orders}/order-line`, { order, ...body }, 422)).body.errors[0].detail
  t.equal(
    await detailOf({ item: w.monitor, action: 'DELIVER', relatedTo: line }),
    'A line with the action DELIVER delivers a new device, so it must not have `relatedTo`. Leave `relatedTo` out, or choose another action.'
  )
  t.equal(
    await detailOf({ item: model, action: 'PICKUP', relatedTo: line }),
    'The device in `relatedTo` requires an item that is its model, or a service for this model or for any model. With the action REPLACE the item can be any device model. Change `item` or `relatedTo`.'
  )
  const foreign = { seller: w.otherSeller, patient: patient('p1'), buyer: w.buyer, items: [w.monitor] }
  const { body: answers } = await w.nurse.post(`${orders}/orderability`, foreign, 200)
  t.ok(
    answers[0].reasons.some(({ detail }: { detail: string }) =>
      detail.startsWith('The item must be in a catalogue of the order’s seller. Choose another item, or ')
    )
  )
  const { body } = await w.provider.patch(pathOf(line), [add('/device/endReason', 'RETURNED')], 422)
  t.equal(
    body.errors[0].detail,
    '/device/endReason: The server sets RETURNED when a line with the action PICKUP or REPLACE is fulfilled. To end the use by hand, send one of LOST, DISCARDED, KEPT, ENTERED_IN_ERROR. Only the provider can send ENTERED_IN_ERROR.'
  )
})

t.test('a relation changes in a draft only, by the buyer', async (t) => {
  const w = await world(app)
  const [line, another] = [await deliverLine(w), await deliverLine(w)]
  const order = await w.createDraft()
  const pickup = await w.addLine(order, { action: 'PICKUP', relatedTo: line })
  await w.nurse.patch(pathOf(pickup), [add('/relatedTo', another)], 204)
  t.equal((await read(w.nurse, pickup)).relatedTo, another)
  t.equal(
    outcome(await w.nurse.patch(pathOf(pickup), [add('/action', 'DELIVER')])),
    '422 unrelated-item /0/value',
    'checked with the action'
  )
  await w.nurse.patch(pathOf(pickup), [{ op: 'remove', path: '/relatedTo' }], 204)
  t.match(await read(w.nurse, pickup), { relatedTo: null, relatedDevice: null })
  await w.nurse.patch(pathOf(pickup), [add('/relatedTo', line)], 204)
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  t.equal(
    outcome(await w.nurse.patch(pathOf(pickup), [add('/relatedTo', null)])),
    '422 order-not-draft /0/value'
  )
  t.equal(
    outcome(await w.provider.patch(pathOf(pickup), [add('/relatedTo', null)])),
    '403 not-your-move /0/value'
  )
})

t.test('relations are checked again at submission', async (t) => {
  const w = await world(app)
  const line = await deliverLine(w)
  const order = await w.createDraft()
  const pickup = await w.addLine(order, { action: 'PICKUP', relatedTo: line })
  const submit = () => w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'))
  await w.nurse.patch(pathOf(line), [add('/device/endReason', 'LOST')], 204)
  const refused = await submit()
  t.equal(outcome(refused), '422 device-not-in-use /0/value')
  t.match(refused.body.errors, [{ resource: { url: pickup, pointer: '/relatedTo' } }])
  await w.nurse.patch(pathOf(line), [{ op: 'remove', path: '/device/endReason' }], 204)
  await w.nurse.patch(pathOf(order), [add('/receiver/patient', patient('p2'))], 204)
  t.equal(outcome(await submit()), '422 dangling-reference /0/value', 'another patient')
  await w.nurse.patch(pathOf(order), [add('/receiver/patient', patient('p1'))], 204)
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
})

t.test('rejects changes of a cancelled line of a draft, and foreign devices in every status', async (t) => {
  const w = await world(app)
  const order = await w.createDraft()
  const [cancelled, open] = [await w.addLine(order), await w.addLine(order)]
  const foreign = await plantDelivery(app, w, { buyer: w.otherBuyer, seller: w.otherSeller, serial: secret })
  const own = await deliverLine(w)
  const unknown = own.replace(/.{12}$/, '000000000000')
  await w.nurse.patch(pathOf(cancelled), transitionTo('CANCELLED'), 204)
  const changes = [
    ...[foreign.line, own, unknown].map((line) => add('/relatedTo', line)),
    ...[add('/item', w.repair), add('/action', 'PICKUP')]
  ]
  for (const change of changes) {
    const refused = await w.nurse.patch(pathOf(cancelled), [change])
    t.equal(outcome(refused), '409 line-not-open /0/value', JSON.stringify(change))
  }
  for (const line of [foreign.line, unknown]) {
    const refused = await w.nurse.patch(pathOf(open), [add('/relatedTo', line), ...transitionTo('CANCELLED')])
    t.equal(outcome(refused), '422 dangling-reference /0/value')
  }
  for (const line of [cancelled, open])
    t.match(await read(w.nurse, line), { relatedTo: null, relatedDevice: null, item: w.monitor })
})

t.test(
  'rejects the submission of a draft whose cancelled line is about a device of another patient',
  async (t) => {
    const w = await world(app)
    const line = await deliverLine(w, [add('/device', numbers)])
    const order = await w.createDraft()
    const pickup = await w.addLine(order, { action: 'PICKUP', relatedTo: line })
    await w.nurse.patch(pathOf(pickup), transitionTo('CANCELLED'), 204)
    await w.addLine(order)
    await w.nurse.patch(pathOf(order), [add('/receiver/patient', patient('p2'))], 204)
    const refused = await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'))
    t.equal(outcome(refused), '422 dangling-reference /0/value')
    t.match(refused.body.errors, [{ resource: { url: pickup, pointer: '/relatedTo' } }])
    await w.nurse.patch(pathOf(order), [add('/receiver/patient', patient('p1'))], 204)
    await w.nurse.patch(pathOf(line), [add('/device/endReason', 'LOST')], 204)
    await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  }
)
