import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { differencesIn } from '../fixtures/copies.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { newDevice } from '../fixtures/routes/bodies.js'
import { outcome, problemViolations } from '../fixtures/routes/refusal.js'
import { contentOf, writingNothing } from '../fixtures/routes/writes.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { add, agreeTime, orders, organization, pathOf, replace, transitionTo } from '../fixtures/world.js'

/* JSON Patches of several lines of an order in one request. */

const { app, w } = await testWorld(t)
const { nurse, provider, createDraft, addLine, submitted } = w
const list = `${orders}/order-lines`

type Entry = [line: string, ...patch: object[]]
const bodyOf = (...entries: Entry[]) => entries.map(([line, ...patch]) => ({ line, patch }))
const change = (by: Caller, ...entries: Entry[]) => by.patch(list, bodyOf(...entries))
const preferring = (by: Caller, ...entries: Entry[]) =>
  by.patch(list, bodyOf(...entries), undefined, { prefer: 'return=representation' })
const detailsOf = async (order: string) => (await nurse.get(`${pathOf(order)}/details`, 200)).body
const statusesOf = async (order: string) =>
  (await detailsOf(order)).orderLines.map(({ status }: { status: { code: string } }) => status.code)

t.test('changes lines one after the other and closes the order at the end', async (t) => {
  const { order, lines } = await submitted(3)
  const [first = '', second = '', third = ''] = lines
  const { status, body, headers } = await preferring(
    provider,
    [third, add('/device', { serialNumber: 'S3' }), ...transitionTo('FULFILLED')],
    [first, ...transitionTo('FULFILLED')],
    [second, ...transitionTo('FULFILLED'), ...agreeTime('2027-01-01T08:00:00Z', '2027-01-01T10:00:00Z')]
  )
  t.equal(status, 200)
  t.equal(headers['preference-applied'], 'return=representation')
  const alone = await Promise.all([third, first, second].map((line) => provider.get(pathOf(line), 200)))
  t.same(
    body,
    alone.map((response) => response.body)
  )
  t.equal(body[0].device.serialNumber, 'S3')
  const { order: shown, traceLines } = await detailsOf(order)
  t.equal(shown.status.code, 'FULFILLED')
  const ofChange = traceLines.slice(-6)
  t.same(
    ofChange.map(({ code, orderLine }: { code: string; orderLine: string | null }) => [code, orderLine]),
    [
      ['order-line-status-changed', third],
      ['order-line-device-changed', third],
      ['order-line-status-changed', first],
      ['delivery-time-changed', second],
      ['order-line-status-changed', second],
      ['order-status-changed', null]
    ]
  )
  t.equal(new Set(ofChange.map(({ timestamp }: { timestamp: string }) => timestamp)).size, 1)
  const records = await app.sql`select operation, problem from audit_events
    where operation = 'patchOrderLines' and ${idOf(order)}::uuid = any(orders)`
  t.same([...records], [{ operation: 'patchOrderLines', problem: null }], 'one audit record')
})

t.test('returns no lines without the preference or the permission to read them', async (t) => {
  const { lines } = await submitted(2)
  const [first = '', second = ''] = lines
  t.equal(outcome(await change(provider, [first], [second])), '204')
  const writer = app.as('Provider', organization('provider'), { permissions: ['OrderLine.update'] })
  t.equal(outcome(await preferring(writer, [first], [second])), '204')
  const test = { op: 'test', path: '/status/code', value: 'SUBMITTED' }
  t.equal(outcome(await change(writer, [first], [second, test])), '403 forbidden')
})

t.test('rejects all lines, with the errors of each line', async (t) => {
  const { order, lines } = await submitted(4)
  const [first = '', second = '', third = '', fourth = ''] = lines
  await writingNothing(t, app.sql, async () => {
    const response = await change(
      provider,
      [first, ...transitionTo('FULFILLED')],
      [second, ...transitionTo('CANCELLED')],
      [third, replace('/item', w.repair), replace('/action', 'REPAIR')],
      [fourth, add('/agreedFrom', '2027-01-01T08:00:00Z')]
    )
    t.equal(outcome(response), '403 not-your-move /1/patch')
    t.same(problemViolations(response), [])
    t.same(
      response.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
      [
        ['/1/patch', 'not-your-move'],
        ['/2/patch/0/value', 'not-your-move'],
        ['/2/patch/1/value', 'not-your-move'],
        ['/3/patch/0/value', 'invalid-period']
      ]
    )
    const test = { op: 'test', path: '/status/code', value: 'FULFILLED' }
    t.equal(
      outcome(await change(provider, [first, ...transitionTo('FULFILLED')], [second, test])),
      '409 failed-test /1/patch'
    )
    t.equal(
      outcome(await change(provider, [first, replace('/nothing', 1)])),
      '422 unpatchable-target /0/patch/0'
    )
  })
  t.same(await statusesOf(order), Array(4).fill('SUBMITTED'))
})

t.test('rejects lines that are equal, of several orders or hidden from the caller', async (t) => {
  const [{ lines }, other, draft] = [await submitted(2), await submitted(1), await createDraft()]
  const [first = '', second = ''] = lines
  const [ofOther = ''] = other.lines
  const ofDraft = await addLine(draft)
  const unknown = `${first.slice(0, -12)}000000000000`
  const [invalid, dangling] = ['400 invalid-body', '422 dangling-reference']
  await writingNothing(t, app.sql, async () => {
    for (const [what, by, entries, wanted] of [
      ['a line twice', provider, [[first], [second], [first]], `${invalid} /2/line`],
      ['a line twice, in two forms', provider, [[first], [`${first}/`]], `${invalid} /1/line`],
      ['lines of two orders', provider, [[first], [second], [ofOther]], `${invalid} /2/line`],
      ['an unknown line', provider, [[first], [unknown]], `${dangling} /1/line`],
      ['an unknown line first', provider, [[unknown], [first]], `${dangling} /0/line`],
      ['a line of a draft, by its seller', provider, [[first], [ofDraft]], `${dangling} /1/line`],
      ['lines of a draft, by its seller', provider, [[ofDraft]], `${dangling} /0/line`],
      ['lines of others', w.otherProvider, [[first], [second]], `${dangling} /0/line`],
      ['an order', nurse, [[draft]], `${dangling} /0/line`],
      ['no line', nurse, [], invalid],
      ['101 lines', nurse, Array.from({ length: 101 }, () => [first]), invalid]
    ] as const) {
      const response = await change(by, ...(entries as unknown as Entry[]))
      t.match(outcome(response), wanted, what)
      t.same(problemViolations(response), [], what)
    }
    const fulfil = bodyOf([first, ...transitionTo('FULFILLED')])
    t.equal(outcome(await provider.patch(list, fulfil, undefined, { 'if-match': '*' })), '400 bad-request')
  })
  const [record] = await app.sql`select orders from audit_events
    where operation = 'patchOrderLines' and organization = ${organization('other-provider')}`
  t.ok(
    record?.orders.includes(idOf((await nurse.get(pathOf(first), 200)).body.order)),
    'its buyer sees the attempt'
  )
})

t.test('changes the content of the lines of a draft', async (t) => {
  const draft = await createDraft()
  const lines = [await addLine(draft), await addLine(draft), await addLine(draft)]
  const [first = '', second = '', third = ''] = lines
  const notListed = await newDevice(w)
  await writingNothing(t, app.sql, async () => {
    const response = await change(
      nurse,
      [first, replace('/item', w.repair), replace('/action', 'REPAIR')],
      [second, replace('/item', notListed)],
      [third, replace('/item', w.buyer)]
    )
    t.equal(outcome(response), '422 dangling-reference /2/patch/0/value')
    const unlisted = await change(
      nurse,
      [first, replace('/action', 'SUPPORT')],
      [second, replace('/item', notListed)]
    )
    t.equal(outcome(unlisted), '422 not-white-listed /1/patch/0/value')
  })
  const swapped = [first, third].map(
    (line): Entry => [line, replace('/item', w.repair), replace('/action', 'REPAIR')]
  )
  t.equal(outcome(await change(nurse, ...swapped, [second, ...transitionTo('CANCELLED')])), '204')
  t.same(
    (await detailsOf(draft)).orderLines.map(
      ({ item, status }: { item: string; status: { code: string } }) => [item, status.code]
    ),
    [
      [w.repair, 'UNFULFILLED'],
      [w.monitor, 'CANCELLED'],
      [w.repair, 'UNFULFILLED']
    ]
  )
})

t.test('sends as many statements for many lines as for one', async (t) => {
  const sent = recordStatements(app.app)
  /** The lowest of three counts, because timers of the server may also send statements. */
  async function fewest(count: number, request: (lines: string[]) => Promise<unknown>, make = submitted) {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round++) {
      const { lines } = await make(count)
      sent.length = 0
      await request(lines)
      least = Math.min(least, sent.length)
    }
    return least
  }
  const each = (by: Caller, patch: object[]) => async (lines: string[]) =>
    t.equal(outcome(await preferring(by, ...lines.map((line): Entry => [line, ...patch]))), '200 some')
  const device = [...transitionTo('FULFILLED'), add('/device', { serialNumber: 'S' })]
  t.equal(await fewest(60, each(provider, device)), await fewest(1, each(provider, device)))
  const drafted = async (count = 1) => {
    const order = await createDraft()
    const lines: string[] = []
    for (let at = 0; at < count; at++) lines.push(await addLine(order))
    return { order, lines }
  }
  const swap = each(nurse, [replace('/item', w.repair), replace('/action', 'REPAIR')])
  t.equal(await fewest(20, swap, drafted), await fewest(1, swap, drafted))
})

t.test('takes effect completely or not at all during concurrent changes', async (t) => {
  for (let round = 0; round < 10; round++) {
    const { order, lines } = await submitted(5)
    const entries = lines.map((line): Entry => [line, ...transitionTo('FULFILLED')])
    const [one, other, cancelled] = await Promise.all([
      change(provider, ...entries),
      change(provider, ...[...entries].reverse()),
      nurse.patch(pathOf(order), transitionTo('CANCELLED'))
    ])
    const wins = [one, other, cancelled].filter(({ status }) => status === 204)
    t.equal(wins.length, 1, `${[one, other, cancelled].map(outcome)}`)
    const code = cancelled.status === 204 ? 'CANCELLED' : 'FULFILLED'
    t.same(await statusesOf(order), Array(5).fill(code))
    t.equal((await detailsOf(order)).order.status.code, code)
  }
  t.same(await differencesIn(app.sql), [])
})

t.test('two requests about different lines of an order both take effect', async (t) => {
  for (let round = 0; round < 10; round++) {
    const { order, lines } = await submitted(6)
    const half = (at: number) =>
      lines.filter((_, index) => index % 2 === at).map((line): Entry => [line, ...transitionTo('FULFILLED')])
    const responses = await Promise.all([change(provider, ...half(0)), change(provider, ...half(1))])
    t.same(responses.map(outcome), ['204', '204'])
    const { order: shown, traceLines } = await detailsOf(order)
    t.equal(shown.status.code, 'FULFILLED')
    const closings = traceLines.filter(
      ({ statusChange }: { statusChange: { newStatus: { code: string }; subject: string } | null }) =>
        statusChange?.subject === order && statusChange.newStatus.code === 'FULFILLED'
    )
    t.equal(closings.length, 1, 'the order is closed once')
  }
})

t.test('lines that stay as they are write only the audit record', async (t) => {
  const { lines } = await submitted(2)
  const before = await contentOf(app.sql, 't.xmin || t::text')
  const same = lines.map((line): Entry => [line, { op: 'test', path: '/status/code', value: 'SUBMITTED' }])
  t.equal(outcome(await change(nurse, ...same)), '204')
  t.same(await contentOf(app.sql, 't.xmin || t::text'), before)
})
