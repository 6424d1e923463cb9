import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { differencesIn } from '../fixtures/copies.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { add, orders, pathOf, replace, transitionTo, world } from '../fixtures/world.js'

const details = (url: string) => `${pathOf(url)}/details`

const app = await testApp(t)
const { nurse, provider, createDraft, addLine, submitted } = await world(app)

t.test('one of two concurrent submissions succeeds, the other gets 409', async (t) => {
  for (let round = 0; round < 10; round++) {
    const order = await createDraft()
    await addLine(order)
    const responses = await Promise.all([
      nurse.patch(pathOf(order), transitionTo('SUBMITTED')),
      nurse.patch(pathOf(order), transitionTo('SUBMITTED'))
    ])
    t.same(responses.map((response) => response.status).sort(), [204, 409])
  }
})

t.test('thirty concurrent notes are all stored', async (t) => {
  const { order } = await submitted()
  const note = (text: string) => [add('/notes/-', { note: text })]
  await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      (at % 2 ? nurse : provider).patch(pathOf(order), note(`note ${at}`), 204)
    )
  )
  const { body } = await nurse.get(pathOf(order), 200)
  t.equal(new Set(body.notes.map((each: { note: string }) => each.note)).size, 30)
})

t.test('concurrently fulfilled lines have one trace line each, and the order has one', async (t) => {
  const { order, lines } = await submitted(8)
  await Promise.all(lines.map((line) => provider.patch(pathOf(line), transitionTo('FULFILLED'), 204)))
  const { body } = await nurse.get(details(order), 200)
  t.equal(body.order.status.code, 'FULFILLED')
  const changes = body.traceLines.filter((trace: { statusChange: unknown }) => trace.statusChange)
  t.equal(changes.length, 1 + 8 + 8 + 1, 'submission, its lines, eight fulfilments, the order')
  const seqs =
    await app.sql`select seq from trace_lines where order_id = ${idOf(order)} order by timestamp, seq`
  t.same(
    seqs.map((row) => row.seq),
    Array.from({ length: seqs.length }, (_, at) => at + 1)
  )
})

t.test('a line fulfilled while its order ends is either fulfilled or ended', async (t) => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 20; round++) {
    const { order, lines } = await submitted(2)
    const [call, status] = round % 2 ? ([nurse, 'CANCELLED'] as const) : ([provider, 'REJECTED'] as const)
    const requests = [
      () => provider.patch(pathOf(lines[0] ?? ''), transitionTo('FULFILLED')),
      () => call.patch(pathOf(order), transitionTo(status))
    ]
    if (round % 4 < 2) requests.reverse()
    await Promise.all(requests.map((send) => send()))
    const { body } = await nurse.get(details(order), 200)
    const [first, second] = body.orderLines.map((line: { status: { code: string } }) => line.status.code)
    outcomes.add(
      [body.order.status.code === status ? 'ENDED' : body.order.status.code, first, second].join(' ')
    )
  }
  const possible = ['SUBMITTED FULFILLED SUBMITTED', 'ENDED CANCELLED CANCELLED']
  t.same(
    [...outcomes].filter((each) => !possible.includes(each)),
    []
  )
})

t.test(
  'a line added while the order is submitted is either part of the submission or rejected',
  async (t) => {
    for (let round = 0; round < 10; round++) {
      const order = await createDraft()
      const first = await addLine(order)
      const [, added] = await Promise.all([
        nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204),
        nurse.post(`${orders}/order-line`, {
          order,
          item: (await nurse.get(pathOf(first))).body.item,
          action: 'DELIVER'
        })
      ])
      const { body } = await nurse.get(details(order), 200)
      t.equal(body.orderLines.length, added.status === 201 ? 2 : 1)
      t.ok(body.orderLines.every((line: { status: { code: string } }) => line.status.code === 'SUBMITTED'))
      if (added.status !== 201) t.match(added, { status: 422, body: { code: 'order-not-draft' } })
    }
  }
)

t.test('a change that cannot be traced is rolled back', async (t) => {
  const order = await createDraft()
  await addLine(order)
  const before = (await nurse.get(details(order), 200)).body
  const count = () => app.sql`select count(*)::int as orders from orders`
  const countBefore = await count()
  await app.sql`alter table trace_lines add constraint broken check (false) not valid`

  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 500)
  await nurse.patch(pathOf(order), [replace('/priority', true)], 500)
  await nurse.post(`${orders}/order`, { ...before.order, id: null }, 500)

  await app.sql`alter table trace_lines drop constraint broken`
  t.same((await nurse.get(details(order), 200)).body, before)
  t.same(await count(), countBefore)
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
})

t.test('the trace stays in order although clocks differ', async (t) => {
  const order = await createDraft()
  await addLine(order)
  const { created } = (await nurse.get(pathOf(order), 200)).body
  await app.sql`update orders set changed_at = '2090-01-01T00:00:00Z' where id = ${idOf(order)}`
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  const { body } = await nurse.get(`${orders}/trace-lines?order=${encodeURIComponent(order)}`, 200)
  t.same(
    body.map((trace: { text: string; timestamp: string }) => [trace.text, trace.timestamp.slice(0, 4)]),
    [
      ['Order created.', created.slice(0, 4)],
      ['Order status changed.', '2090'],
      ['Order line status changed.', '2090']
    ]
  )
})

t.test('leaves each copy equal to its source', async (t) => t.same(await differencesIn(app.sql), []))
