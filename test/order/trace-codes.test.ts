import t from 'tap'
import { traceCodes, traceTexts } from '../../src/order/model/trace-texts.js'
import { testApp } from '../fixtures/app.js'
import { lineTrace, submittedLine } from '../fixtures/devices.js'
import { catalogue, deviceModel, orders, pathOf, transitionTo, world } from '../fixtures/world.js'

interface Traced {
  code: keyof typeof traceTexts
  text: string
}

t.test('each kind of trace line has its code', async (t) => {
  const w = await world(await testApp(t))
  const { order, lines } = await w.submitted()
  const [line = ''] = lines
  const add = (path: string, value: unknown) => ({ op: 'add', path, value })
  const question = [add('/notes/-', { note: 'When?' }), add('/awaiting', 'SELLER')]
  const urgent = [
    add('/priority', true),
    add('/receiver/phone', '1'),
    add('/latestDeliveryDate', '2030-03-06')
  ]
  await w.nurse.patch(pathOf(order), [...urgent, ...question], 204)
  const agree = [add('/agreedFrom', '2030-03-05T08:00:00Z'), add('/agreedTo', '2030-03-05T09:00:00Z')]
  await w.provider.patch(pathOf(line), [...agree, ...transitionTo('FULFILLED')], 204)
  const device = [add('/device/udi', 'U'), add('/device/endReason', 'LOST')]
  await w.provider.patch(pathOf(line), device, 204)
  await w.nurse.patch(pathOf(line), [{ op: 'remove', path: '/device/endReason' }], 204)
  const replacement = await submittedLine(w, { action: 'REPLACE', relatedTo: line })
  const another = await w.clerk.create(
    `${catalogue}/catalogue-item`,
    deviceModel(w.catalogue, { name: 'Another', model: 'UA-651' })
  )
  await w.provider.patch(
    pathOf(replacement),
    [...transitionTo('FULFILLED'), add('/device/item', another)],
    204
  )
  await w.provider.patch(pathOf(replacement), [add('/device/endReason', 'ENTERED_IN_ERROR')], 204)

  const { body: traces } = await w.nurse.get(`${orders}/trace-lines?order=${encodeURIComponent(order)}`, 200)
  const { body: details } = await w.nurse.get(`${pathOf(order)}/details`, 200)
  t.same(details.traceLines, traces)
  t.same(Object.keys(traces[0]).slice(3, 6), ['text', 'code', 'supplementaryText'])
  traces.push(...(await lineTrace(w.nurse, replacement)))
  for (const { code, text } of traces as Traced[]) t.equal(text, traceTexts[code])
  const found = new Set(traces.map(({ code }: Traced) => code))
  const cleared = 'order-awaits-no-answer'
  t.same(
    traceCodes.filter((code) => !found.has(code) && code !== cleared),
    []
  )
})
