import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { catalogue, moveTo, orders, pathOf, world } from '../fixtures/world.js'

t.test('a blood pressure monitor is ordered, delivered and traced', async (t) => {
  const app = await testApp(t)
  const { nurse, provider, createDraft, addLine, monitor, buyer } = await world(app)

  const found = await nurse.get(
    `${catalogue}/catalogue-items?buyer=${encodeURIComponent(buyer)}&q=blodtryk%20monitor`,
    200
  )
  t.same(found.body, [], 'all words must match')
  const order = await createDraft({ priority: true })
  const line = await addLine(order)
  await provider.get(pathOf(order), 404)
  await nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
  await provider.patch(pathOf(order), moveTo('ACCEPTED'), 204)
  await provider.patch(pathOf(line), moveTo('FULFILLED'), 204)

  const details = (await nurse.get(`${pathOf(order)}/details`, 200)).body
  t.equal(details.order.status.code, 'FULFILLED')
  t.equal(details.orderLines[0].status.code, 'FULFILLED')
  t.equal(details.orderLines[0].item, monitor)
  t.same(
    details.traceLines.map(
      (trace: {
        createdByOrganization: string
        statusChange: { oldStatus: { code: string }; newStatus: { code: string } } | null
      }) => [
        trace.createdByOrganization,
        trace.statusChange?.oldStatus.code,
        trace.statusChange?.newStatus.code
      ]
    ),
    [
      ['region', undefined, undefined],
      ['region', 'DRAFT', 'SUBMITTED'],
      ['region', 'UNFULFILLED', 'SUBMITTED'],
      ['provider', 'SUBMITTED', 'ACCEPTED'],
      ['provider', 'SUBMITTED', 'FULFILLED'],
      ['provider', 'ACCEPTED', 'FULFILLED']
    ]
  )
  const traces = (await nurse.get(`${orders}/trace-lines?order=${encodeURIComponent(order)}`, 200)).body
  t.same(traces, details.traceLines)
})
