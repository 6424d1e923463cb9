import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { vs } from '../fixtures/routes/bodies.js'
import { outcome, secret } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { add, orders, pathOf, replace, transitionTo, world } from '../fixtures/world.js'

const because = (value: unknown) => add('/statusReason', value)
const outOfStock = {
  code: { ...vs('order-status-reason', 'OUT_OF_STOCK'), display: 'Out of stock' },
  text: `${secret} waits`
}

const app = await testApp(t)

t.test('a reason is in the resource, but its text is not in the trace', async (t) => {
  const app = await testApp(t)
  const { nurse, provider, ...w } = await world(app)
  const { order, lines } = await w.submitted(3)
  const [line = '', other = ''] = lines
  const reasonOf = async (url: string) => (await nurse.get(pathOf(url), 200)).body.statusReason
  for (const url of [order, line]) t.equal(await reasonOf(url), null)

  await provider.patch(pathOf(line), [...transitionTo('UNFULFILLED'), because(outOfStock)], 204)
  t.same(await reasonOf(line), outOfStock)
  await nurse.patch(pathOf(line), transitionTo('SUBMITTED'), 204)
  t.equal(await reasonOf(line), null, 'gone after the next move')
  await provider.patch(pathOf(line), [because({ code: 'no_answer' }), ...transitionTo('UNFULFILLED')], 204)
  t.match(await reasonOf(line), { code: { code: 'NO_ANSWER', display: 'No answer' }, text: null })
  const again = because({ code: vs('order-status-reason', 'NO_ANSWER'), text: null })
  await nurse.patch(pathOf(line), [...transitionTo('CANCELLED'), again], 204)
  t.match(await reasonOf(line), { code: { code: 'NO_ANSWER' } }, 'the same reason, given again')
  await nurse.patch(pathOf(other), [...transitionTo('CANCELLED'), because({ text: secret })], 204)
  t.same(await reasonOf(other), { code: null, text: secret })

  await nurse.patch(pathOf(order), [because({ code: 'DUPLICATE' }), ...transitionTo('CANCELLED')], 204)
  t.match(await reasonOf(order), { code: { code: 'DUPLICATE' }, text: null })
  const { body } = await provider.get(`${pathOf(order)}/details`, 200)
  t.same(
    body.orderLines.map(({ statusReason }: { statusReason: object | null }) => statusReason),
    [await reasonOf(line), { code: null, text: secret }, null],
    'the line that follows has none'
  )
  t.same(body.order.statusReason, await reasonOf(order))
  t.same((await nurse.get(`${orders}/orders`, 200)).body[0].statusReason, body.order.statusReason)
  t.same(
    body.traceLines
      .map(({ supplementaryText }: { supplementaryText: string }) => supplementaryText)
      .filter((text: string) => text.includes('Reason')),
    [
      'Old value: SUBMITTED. New value: UNFULFILLED. Reason: Out of stock.',
      'Old value: SUBMITTED. New value: UNFULFILLED. Reason: No answer.',
      'Old value: UNFULFILLED. New value: CANCELLED. Reason: No answer.',
      'Old value: SUBMITTED. New value: CANCELLED. Reason: Duplicate.'
    ]
  )
  const [{ found } = { found: -1 }] =
    await app.sql`select count(*)::int as found from trace_lines t where strpos(t::text, ${secret}) > 0`
  t.equal(found, 0)
})

t.test('an order that follows its last line has no reason', async (t) => {
  const { nurse, provider, ...w } = await world(app)
  const { order, lines } = await w.submitted()
  await nurse.patch(pathOf(lines[0] ?? ''), [...transitionTo('CANCELLED'), because({ code: 'OTHER' })], 204)
  t.match((await nurse.get(pathOf(order), 200)).body, { status: { code: 'CANCELLED' }, statusReason: null })

  const rejected = await w.submitted()
  await provider.patch(pathOf(rejected.order), [...transitionTo('REJECTED'), because(outOfStock)], 204)
  t.same((await nurse.get(pathOf(rejected.order), 200)).body.statusReason, outOfStock)
  const draft = await w.createDraft()
  await nurse.patch(pathOf(draft), [...transitionTo('CANCELLED'), because({ code: 'WRONG_ITEM' })], 204)
})

t.test('a reason that is not allowed, or not valid, is rejected', async (t) => {
  const { nurse, provider, ...w } = await world(app)
  const { order, lines } = await w.submitted(2)
  const [line = '', returned = ''] = lines
  await provider.patch(pathOf(returned), [...transitionTo('UNFULFILLED'), because(outOfStock)], 204)
  const reason = because(outOfStock)
  const refuses = async (by: Caller, url: string, patch: object[], refusal: string) =>
    t.equal(outcome(await by.patch(pathOf(url), patch)), refusal, JSON.stringify(patch))
  await writingNothing(t, app.sql, async () => {
    for (const { by, url, patch, at } of [
      { by: nurse, url: order, patch: [reason], at: '/0/value' },
      { by: provider, url: line, patch: [reason], at: '/0/value' },
      { by: provider, url: order, patch: [...transitionTo('ACCEPTED'), reason], at: '/1/value' },
      { by: provider, url: line, patch: [...transitionTo('FULFILLED'), reason], at: '/1/value' },
      { by: provider, url: returned, patch: [{ op: 'remove', path: '/statusReason' }], at: '/0' },
      {
        by: provider,
        url: returned,
        patch: [replace('/statusReason/text', secret)],
        at: '/0/value'
      }
    ])
      await refuses(by, url, patch, `422 reason-not-allowed ${at}`)
    await refuses(nurse, order, [...transitionTo('REJECTED'), reason], '403 not-your-move')
    for (const { value, refusal } of [
      { value: { code: 'NOPE' }, refusal: '422 unknown-coding /1/value/code' },
      { value: { code: vs('order-status', 'DRAFT') }, refusal: '422 unknown-coding /1/value/code' },
      { value: {}, refusal: '422 invalid-result /1/value' },
      { value: { text: '' }, refusal: '422 invalid-result /1/value' },
      { value: { text: 'x'.repeat(501) }, refusal: '422 invalid-result /1/value/text' },
      { value: { code: 'OTHER', more: secret }, refusal: '422 invalid-result /1/value/more' }
    ])
      await refuses(nurse, order, [...transitionTo('CANCELLED'), because(value)], refusal)
  })
  t.equal(
    outcome(await nurse.post(`${orders}/order`, w.draft({ statusReason: outOfStock }))),
    '400 invalid-body /statusReason'
  )
  const none = [...transitionTo('CANCELLED'), because(null)]
  await nurse.patch(pathOf(line), none, 204)
  await nurse.patch(pathOf(order), [...transitionTo('CANCELLED'), because({ text: 'x'.repeat(500) })], 204)
})

t.test('a search does not find the text of a reason', async (t) => {
  const { nurse, ...w } = await world(app)
  const order = await w.createDraft()
  await nurse.patch(pathOf(order), [...transitionTo('CANCELLED'), because({ text: secret })], 204)
  t.same((await nurse.get(`${orders}/orders?q=${secret}`, 200)).body, [])
})
