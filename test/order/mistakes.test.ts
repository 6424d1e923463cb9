import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { addOtherService, deliverLine, lineTrace, read, submittedLine } from '../fixtures/devices.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { vs } from '../fixtures/routes/bodies.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { add, orders, pathOf, patient, transitionTo, world } from '../fixtures/world.js'

const app = await testApp(t)
const fulfil = transitionTo('FULFILLED')
const mistake = [add('/device/endReason', 'ENTERED_IN_ERROR')]
const remove = [{ op: 'remove', path: '/device/endReason' }]
const takeBack = [{ op: 'remove', path: '/relatedDevice/endReason' }]
const inUse = { until: null, endReason: null }

const found = async (caller: Caller, query: Record<string, string>): Promise<string[]> =>
  idsOf((await caller.get(`${orders}/order-lines?${new URLSearchParams(query)}`, 200)).body)
const eventsOf = async (caller: Caller, line: string): Promise<string[]> => {
  const { body } = await caller.get(`${orders}/events?types=order-line.device-changed`, 200)
  return body.filter(({ subject }: { subject: string }) => subject.endsWith(idOf(line)))
}

t.test(
  'a device that was registered by mistake ends when it began, and its line stays FULFILLED',
  async (t) => {
    const w = await world(app)
    const line = await deliverLine(w, [add('/device', { serialNumber: 'SN-M', lotNumber: 'L-M' })])
    const { device: before, order } = await read(w.nurse, line)
    const refused = await w.nurse.patch(pathOf(line), mistake)
    t.equal(outcome(refused), '403 not-your-move /0/value')
    for (const caller of [w.otherNurse, w.otherProvider])
      t.equal(outcome(await caller.patch(pathOf(line), mistake)), '404 not-found')
    await w.provider.patch(pathOf(line), mistake, 204)
    const { status, device } = await read(w.nurse, line)
    t.equal(status.code, 'FULFILLED')
    const endReason = { ...vs('device-end-reason', 'ENTERED_IN_ERROR'), display: 'Registered by mistake' }
    t.same(device, { ...before, until: before.from, endReason })
    t.match((await lineTrace(w.nurse, line)).at(-1), {
      code: 'device-use-ended',
      supplementaryText: 'Reason: ENTERED_IN_ERROR.'
    })
    t.equal((await eventsOf(w.nurse, line)).length, 2, 'numbers, and the mistake')

    for (const caller of [w.nurse, w.provider]) {
      for (const query of [
        { inUse: 'true' },
        { inUse: 'false' },
        { serialNumber: 'SN-M' },
        { deviceItem: w.monitor },
        { lotNumber: 'L-M', order },
        { endReason: 'LOST,RETURNED', lotNumber: 'L-M' }
      ])
        t.same(await found(caller, query), [], JSON.stringify(query))
      for (const query of [
        { order },
        { order, status: 'FULFILLED' },
        { patient: patient('p1'), item: w.monitor },
        { endReason: 'ENTERED_IN_ERROR' },
        { endReason: 'LOST,ENTERED_IN_ERROR', serialNumber: 'SN-M', inUse: 'false' }
      ])
        t.same(await found(caller, query), [idOf(line)], JSON.stringify(query))
    }
    const danish = await w.nurse.get(pathOf(line), undefined, { 'accept-language': 'da' })
    t.equal(danish.body.device.endReason.display, 'Registreret ved en fejl')

    const again = await w.provider.patch(pathOf(line), [add('/device/endReason', 'LOST')])
    t.equal(outcome(again), '409 device-ended /0/value')
    await w.nurse.patch(pathOf(line), remove, 204)
    t.same((await read(w.nurse, line)).device, before, 'either side removes it, as LOST')
  }
)

t.test('a replacement that is a mistake leaves the old device in use, for a recall', async (t) => {
  const w = await world(app)
  const old = await deliverLine(w, [add('/device/lotNumber', 'L-RECALL')])
  const recall = () => found(w.nurse, { deviceItem: w.monitor, lotNumber: 'L-RECALL', inUse: 'true' })
  const replacement = await submittedLine(w, { action: 'REPLACE', relatedTo: old })
  await w.provider.patch(pathOf(replacement), fulfil, 204)
  const { device: replaced } = await read(w.nurse, old)
  t.equal(replaced.endReason.code, 'REPLACED')
  t.same(await recall(), [])
  t.equal((await read(w.provider, replacement)).relatedDevice.endReason.code, 'REPLACED')

  await w.provider.patch(pathOf(replacement), mistake, 204)
  t.match((await read(w.nurse, old)).device, inUse)
  t.same(await recall(), [idOf(old)])
  t.equal((await read(w.provider, replacement)).relatedDevice.endReason, null)
  t.match((await lineTrace(w.nurse, replacement)).slice(-2), [
    { code: 'device-use-ended', supplementaryText: 'Reason: ENTERED_IN_ERROR.' },
    {
      text: 'Device use resumed.',
      code: 'device-use-resumed',
      supplementaryText: 'Removed reason: REPLACED.'
    }
  ])

  await w.nurse.patch(pathOf(replacement), remove, 204)
  t.same((await read(w.nurse, old)).device, replaced, 'without the mistake it is replaced again')
  await w.provider.patch(pathOf(replacement), mistake, 204)
  const pickup = await submittedLine(w, { action: 'PICKUP', relatedTo: old })
  await w.provider.patch(pathOf(pickup), fulfil, 204)
  await w.provider.patch(pathOf(replacement), remove, 204)
  t.equal((await read(w.nurse, old)).device.endReason.code, 'RETURNED', 'unless another line ended it')
})

t.test('a mistake takes back an end that an end by hand hides', async (t) => {
  const w = await world(app)
  const old = await deliverLine(w)
  const replacement = await submittedLine(w, { action: 'REPLACE', relatedTo: old })
  await w.nurse.patch(pathOf(old), [add('/device/endReason', 'LOST')], 204)
  await w.provider.patch(pathOf(replacement), fulfil, 204)
  await w.provider.patch(pathOf(replacement), mistake, 204)
  t.equal((await read(w.nurse, old)).device.endReason.code, 'LOST')
  await w.nurse.patch(pathOf(old), remove, 204)
  t.match((await read(w.nurse, old)).device, inUse)
})

t.test('the provider of a pick-up takes back its end, also of the device of another seller', async (t) => {
  const w = await world(app)
  const service = await addOtherService(w)
  for (const { by, other, order, item } of [
    { by: w.provider, other: w.otherProvider, order: {}, item: w.monitor },
    { by: w.otherProvider, other: w.provider, order: { seller: w.otherSeller }, item: service }
  ]) {
    const line = await deliverLine(w)
    const about = { action: 'PICKUP', item, relatedTo: line }
    const [first, second] = [await submittedLine(w, about, order), await submittedLine(w, about, order)]
    for (const each of [first, second]) await by.patch(pathOf(each), fulfil, 204)
    t.equal((await read(w.nurse, first)).relatedDevice.endReason.code, 'RETURNED')
    t.equal((await read(w.nurse, second)).relatedDevice.endReason, null, 'it ended nothing')

    const { headers } = await by.get(pathOf(first), 200)
    for (const [caller, url, patch, refusal] of [
      [w.nurse, first, takeBack, '403 not-your-move /0'],
      [other, first, takeBack, '404 not-found'],
      [by, second, takeBack, '409 device-ended /0'],
      [by, first, [add('/relatedDevice/endReason', 'LOST')], '422 read-only /0/value'],
      [by, first, [...takeBack, add('/relatedDevice/udi', 'U')], '422 read-only /1/value'],
      [by, first, [add('/relatedDevice', null)], '422 read-only /0/value'],
      [w.nurse, line, remove, '409 device-ended /0'],
      [w.provider, line, mistake, '409 device-ended /0/value']
    ] as const)
      t.equal(outcome(await caller.patch(pathOf(url), patch)), refusal, JSON.stringify(patch))
    t.equal((await read(w.nurse, line)).device.endReason.code, 'RETURNED')

    const ifMatch = { 'if-match': String(headers.etag) }
    const withTag = () => by.patch(pathOf(first), takeBack, undefined, ifMatch)
    t.equal(outcome(await withTag()), '204')
    t.match((await read(w.nurse, line)).device, inUse)
    const [record] = await app.sql`
      select orders from audit_events where interaction = 'patch' order by recorded desc, id desc limit 1`
    t.ok(
      record?.orders.includes(idOf((await read(w.nurse, line)).order)),
      'the audit record names both orders'
    )
    t.equal(outcome(await withTag()), '412 precondition-failed', 'the tag changed')
    await by.patch(pathOf(first), takeBack, 204)
    const trace = (await lineTrace(w.nurse, first)).filter(({ code }) => code === 'device-use-resumed')
    t.match(trace, [{ supplementaryText: 'Removed reason: RETURNED.', statusChange: null }], 'once')
    t.equal((await eventsOf(w.nurse, first)).length, 1)
    t.same(await eventsOf(w.nurse, line), [])

    await w.provider.patch(pathOf(line), mistake, 204)
    t.equal((await read(w.nurse, line)).device.endReason.code, 'ENTERED_IN_ERROR', 'possible then')
  }
})

t.test('an open line about a mistake cannot be submitted, but a submitted one is fulfilled', async (t) => {
  const w = await world(app)
  const line = await deliverLine(w)
  const draft = await w.createDraft()
  await w.addLine(draft, { action: 'PICKUP', relatedTo: line })
  const pickup = await submittedLine(w, { action: 'PICKUP', relatedTo: line })
  await w.provider.patch(pathOf(line), mistake, 204)
  t.equal(
    outcome(await w.nurse.patch(pathOf(draft), transitionTo('SUBMITTED'))),
    '422 device-not-in-use /0/value'
  )
  await w.provider.patch(pathOf(pickup), fulfil, 204)
  t.equal((await read(w.nurse, line)).device.endReason.code, 'ENTERED_IN_ERROR')
  await w.nurse.patch(pathOf(line), remove, 204)
  t.equal((await read(w.nurse, line)).device.endReason.code, 'RETURNED')
})
