import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { agreeTime, orders, pathOf, replace, transitionTo } from '../fixtures/world.js'

const from = '2026-03-05T09:00:00.000Z'
const to = '2026-03-05T11:00:00.000Z'
const agreed = { agreedFrom: from, agreedTo: to }
const noTime = { agreedFrom: null, agreedTo: null }

const { app, w } = await testWorld(t)
const { nurse, provider } = w
const read = async (url: string) => (await nurse.get(pathOf(url), 200)).body
const tracesOf = async (order: string) => (await nurse.get(`${pathOf(order)}/details`, 200)).body.traceLines
const eventsOf = async (line: string) => [
  ...(await app.sql`select type, sequence, old_status, new_status from events
    where subject_id = ${idOf(line)} and not is_of_draft order by sequence`)
]
const deliveryDueAt = async (order: string) =>
  (await app.sql`select delivery_due_at from orders where id = ${idOf(order)}`)[0]?.delivery_due_at

async function submittedLine() {
  const { order, lines } = await w.submitted()
  return { order, line: lines[0] ?? '' }
}

t.test('the provider agrees on a time for a submitted line, changes and removes it', async (t) => {
  const { order, line } = await submittedLine()
  t.match(await read(line), noTime)
  await provider.patch(
    pathOf(line),
    agreeTime('2026-03-05T10:00:00+01:00', '2026-03-05T12:00:00.0+01:00'),
    204
  )
  t.match(await read(line), agreed)
  t.match((await provider.get(`${orders}/order-lines?order=${order}`, 200)).body, [agreed])
  await provider.patch(pathOf(line), agreeTime('2026-03-05T10:00:00+01:00', to), 204)
  await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  await provider.patch(pathOf(line), [replace('/agreedTo', '2026-03-05T12:00:00Z')], 204)
  t.match(await read(line), { agreedFrom: from, agreedTo: '2026-03-05T12:00:00.000Z' })
  await provider.patch(pathOf(line), agreeTime(null, null), 204)
  t.match(await read(line), noTime)

  const traces = (await tracesOf(order)).filter(
    ({ text }: { text: string }) => text === 'Delivery time changed.'
  )
  t.same(
    traces.map(({ supplementaryText }: { supplementaryText: string }) => supplementaryText),
    ['Changed: agreedFrom, agreedTo.', 'Changed: agreedTo.', 'Changed: agreedFrom, agreedTo.'],
    'the same instants are no change'
  )
  for (const trace of traces)
    t.match(trace, { statusChange: null, orderLine: line, createdByOrganization: 'provider' })
  t.notMatch(JSON.stringify(traces.map(({ timestamp, ...trace }: { timestamp: string }) => trace)), '2026-03')
  const events = (await eventsOf(line)).filter(({ type }) => type === 'order-line.agreed-changed')
  t.same(
    events.map(({ old_status, new_status }) => [old_status, new_status]),
    Array(3).fill([null, null])
  )
  const { body } = await provider.get(`${orders}/events?types=order-line.agreed-changed`, 200)
  t.match(
    body.map(({ data }: { data: object }) => data),
    Array(3).fill({ kind: 'OrderLine', change: 'changed', url: line, order })
  )
  t.notMatch(JSON.stringify(body.map(({ time, ...event }: { time: string }) => event)), '2026-03-05')
})

t.test('a time may be agreed in the past and outside the delivery wish', async (t) => {
  const order = await w.createDraft({ latestDeliveryDate: '2026-03-01' })
  const line = await w.addLine(order)
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  for (const [start, end] of [
    [from, to],
    ['2001-01-01T00:00:00.000Z', '2001-01-01T00:00:00.001Z'],
    ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']
  ]) {
    await provider.patch(pathOf(line), agreeTime(start, end), 204)
    t.match(await read(line), { agreedFrom: start, agreedTo: end })
  }
})

t.test('a time is agreed together with a transition of the line', async (t) => {
  const { order, line } = await submittedLine()
  await provider.patch(pathOf(line), [...transitionTo('FULFILLED'), ...agreeTime(from, to)], 204)
  t.match(await read(line), { ...agreed, status: { code: 'FULFILLED' } })
  t.match(
    (await tracesOf(order)).slice(-3).map(({ text }: { text: string }) => text),
    ['Delivery time changed.', 'Order line status changed.', 'Order status changed.']
  )
  t.match((await eventsOf(line)).slice(-2), [
    { type: 'order-line.status-changed', sequence: '0000000003' },
    { type: 'order-line.agreed-changed', sequence: '0000000004' }
  ])
})

t.test('a line that becomes UNFULFILLED loses its time, a cancelled one keeps it', async (t) => {
  const { order, lines } = await w.submitted(2)
  const [returned = '', cancelled = ''] = lines
  for (const line of lines) await provider.patch(pathOf(line), agreeTime(from, to), 204)
  await provider.patch(pathOf(returned), transitionTo('UNFULFILLED'), 204)
  t.match(await read(returned), noTime)
  t.match((await eventsOf(returned)).slice(-2), [
    { type: 'order-line.status-changed' },
    { type: 'order-line.agreed-changed' }
  ])
  await nurse.patch(pathOf(cancelled), transitionTo('CANCELLED'), 204)
  t.match(await read(cancelled), agreed)
  await nurse.patch(pathOf(returned), transitionTo('SUBMITTED'), 204)
  t.match(await read(returned), noTime)
  const before = (await tracesOf(order)).length
  await provider.patch(pathOf(returned), [...agreeTime(from, to), ...transitionTo('UNFULFILLED')], 204)
  t.match(await read(returned), noTime)
  t.equal((await tracesOf(order)).length, before + 1, 'it never had the time')
})

t.test('only the provider agrees on a time, for SUBMITTED lines of an open order', async (t) => {
  const { order, lines } = await w.submitted(3)
  const [line = '', returned = '', fulfilled = ''] = lines
  await provider.patch(pathOf(returned), transitionTo('UNFULFILLED'), 204)
  await provider.patch(pathOf(fulfilled), transitionTo('FULFILLED'), 204)
  const closed = await submittedLine()
  await provider.patch(pathOf(closed.line), [...agreeTime(from, to), ...transitionTo('FULFILLED')], 204)
  const draft = await w.addLine(await w.createDraft())
  const cases: { by: Caller; url: string; refusal: string; patch?: object[] }[] = [
    { by: nurse, url: line, refusal: '403 not-your-move /0/value' },
    { by: nurse, url: draft, refusal: '403 not-your-move /0/value' },
    { by: provider, url: draft, refusal: '404 not-found' },
    { by: w.otherProvider, url: line, refusal: '404 not-found' },
    { by: provider, url: returned, refusal: '422 line-not-submitted /0/value' },
    { by: nurse, url: line, refusal: '403 not-your-move /1/value', patch: agreeTime(null, to) },
    { by: provider, url: fulfilled, refusal: '422 line-not-submitted /0/value' },
    { by: provider, url: closed.line, refusal: '422 order-closed /0/value', patch: agreeTime(null, null) },
    { by: provider, url: closed.line, refusal: '409 illegal-transition', patch: transitionTo('UNFULFILLED') },
    { by: nurse, url: closed.line, refusal: '409 illegal-transition', patch: transitionTo('UNFULFILLED') }
  ]
  await writingNothing(t, app.sql, async () => {
    for (const { by, url, refusal, patch = agreeTime(from, to) } of cases)
      t.equal(outcome(await by.patch(pathOf(url), patch)), refusal)
  })
  t.match(await read(order), { status: { code: 'SUBMITTED' } })
})

t.test('rejects an incomplete, reversed, empty, too long or malformed time', async (t) => {
  const { line } = await submittedLine()
  await provider.patch(pathOf(line), agreeTime(from, to), 204)
  const cases: [patch: object[], refusal: string][] = [
    [[{ op: 'remove', path: '/agreedFrom' }], '422 invalid-period /0'],
    [[{ op: 'remove', path: '/agreedTo' }], '422 invalid-period /0'],
    [agreeTime(from, null), '422 invalid-period /1/value'],
    [agreeTime(to, from), '422 invalid-period /1/value'],
    [agreeTime(from, from), '422 invalid-period /1/value'],
    [agreeTime('2026-03-01T00:00:00Z', '2026-04-01T00:00:00.001Z'), '422 invalid-period /1/value'],
    [[...agreeTime(from, null), ...transitionTo('UNFULFILLED')], '422 invalid-period /1/value'],
    [agreeTime('2026-03-05', to), '422 invalid-result /0/value'],
    [agreeTime('2026-03-05T09:00:00', to), '422 invalid-result /0/value'],
    [agreeTime(from, '0000-12-31T23:59:59Z'), '422 invalid-result /1/value'],
    [agreeTime(from, 7), '422 invalid-result /1/value']
  ]
  await writingNothing(t, app.sql, async () => {
    for (const [patch, refusal] of cases)
      t.equal(outcome(await provider.patch(pathOf(line), patch)), refusal, JSON.stringify(patch))
  })
})

t.test('a new line accepts no time, except for the null of a GET', async (t) => {
  const order = await w.createDraft({ orderLines: [{ item: w.monitor, action: 'DELIVER', ...noTime }] })
  t.match(await read(await w.addLine(order, noTime)), noTime)
  const body = { order, item: w.monitor, action: 'DELIVER', agreedTo: to }
  t.equal(outcome(await nurse.post(`${orders}/order-line`, body)), '400 invalid-body /agreedTo')
})

t.test('an order stores the end of the first time that is agreed for its lines', async (t) => {
  const { order, lines } = await w.submitted(2)
  const [one = '', other = ''] = lines
  const first = new Date(new Date(to).getTime() - 60_000).toISOString()
  const until = async (expected: string | null) =>
    t.equal((await deliveryDueAt(order))?.toISOString() ?? null, expected)
  await until(null)
  await provider.patch(pathOf(one), agreeTime(from, to), 204)
  await until(to)
  await provider.patch(pathOf(other), agreeTime(from, first), 204)
  await until(first)
  await nurse.patch(pathOf(order), [replace('/priority', true)], 204)
  await provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  await until(first)
  await provider.patch(pathOf(other), transitionTo('UNFULFILLED'), 204)
  await until(to)
  await provider.patch(pathOf(one), agreeTime(null, null), 204)
  await until(null)
})
