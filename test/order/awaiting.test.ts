import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { readOn } from '../fixtures/events/reading.js'
import { outcome, secret } from '../fixtures/routes/refusal.js'
import { writingNothing } from '../fixtures/routes/writes.js'
import { add, orders, pathOf, replace, transitionTo } from '../fixtures/world.js'

const { app, w } = await testWorld(t)
const { nurse, provider } = w

const note = add('/notes/-', { note: secret })
const awaiting = (value: string | null) => add('/awaiting', value)

const awaitedBy = async (url: string) => (await nurse.get(pathOf(url), 200)).body.awaiting
const changes = async (url: string) =>
  (await readOn(nurse, `${orders}/events?types=order.awaiting-changed`)).events.filter(
    ({ subject }) => subject === url
  )
const traces = async (url: string, wanted: string) =>
  (await provider.get(`${orders}/trace-lines?order=${encodeURIComponent(url)}`, 200)).body.filter(
    ({ text }: { text: string }) => text === wanted
  )
const questions = (url: string) => traces(url, 'Order awaits an answer.')
const answers = (url: string) => traces(url, 'Order awaits no answer.')

/** An order that awaits an answer of a side. */
async function asked(side: 'BUYER' | 'SELLER') {
  const { order, lines } = await w.submitted()
  const asking = side === 'BUYER' ? provider : nurse
  await asking.patch(pathOf(order), [note, awaiting(side)], 204)
  t.equal(await awaitedBy(order), side)
  return { order, lines }
}

t.test('a side asks the other side, whose next note is the answer', async (t) => {
  for (const [side, asking, answering] of [
    ['BUYER', provider, nurse],
    ['SELLER', nurse, provider]
  ] as const) {
    const { order } = await asked(side)
    t.match(await questions(order), [
      { supplementaryText: `Old value: null. New value: ${side}.`, statusChange: null, orderLine: null }
    ])
    t.equal((await answering.get(`${pathOf(order)}/details`, 200)).body.order.awaiting, side)
    const [listed] = (await answering.get(`${orders}/orders?status=SUBMITTED`, 200)).body
    t.equal(listed.awaiting, side)
    await asking.patch(pathOf(order), [note], 204)
    t.equal(await awaitedBy(order), side, 'a further note of the same side is no answer')
    await answering.patch(pathOf(order), [note], 204)
    t.equal(await awaitedBy(order), null)
    t.equal((await questions(order)).length, 1)
    t.match(await answers(order), [
      { supplementaryText: `Old value: ${side}. New value: null.`, statusChange: null, orderLine: null }
    ])
    const events = await changes(order)
    t.equal(events.length, 2)
    for (const { data } of events)
      t.same(data, { kind: 'Order', change: 'changed', url: order }, 'without texts')
  }
})

t.test('an answer can be a question', async (t) => {
  const { order } = await asked('BUYER')
  await nurse.patch(pathOf(order), [note, awaiting('SELLER')], 204)
  t.equal(await awaitedBy(order), 'SELLER')
  t.equal((await questions(order)).at(-1).supplementaryText, 'Old value: BUYER. New value: SELLER.')
  t.equal((await changes(order)).length, 2)
})

t.test('null by either side and the end of the order clear the question', async (t) => {
  const { order } = await asked('BUYER')
  await provider.patch(pathOf(order), [awaiting(null)], 204)
  t.equal(await awaitedBy(order), null)
  await provider.patch(pathOf(order), [note, awaiting('BUYER')], 204)
  await nurse.patch(pathOf(order), [{ op: 'remove', path: '/awaiting' }], 204)
  t.equal(await awaitedBy(order), null)
  await nurse.patch(pathOf(order), [awaiting(null)], 204)
  t.equal((await changes(order)).length, 4, 'null again is no change')
  t.equal((await answers(order)).length, 2)

  const ends: [by: Caller, end: (of: { order: string; lines: string[] }) => string, status: string][] = [
    [provider, (of) => of.order, 'REJECTED'],
    [nurse, (of) => of.order, 'CANCELLED'],
    [provider, (of) => of.lines[0] ?? '', 'FULFILLED']
  ]
  for (const [by, end, status] of ends) {
    const each = await asked('SELLER')
    await by.patch(pathOf(end(each)), transitionTo(status), 204)
    t.equal(await awaitedBy(each.order), null, status)
    t.equal((await changes(each.order)).length, 2)
    t.match(await answers(each.order), [{ supplementaryText: 'Old value: SELLER. New value: null.' }])
    t.equal(
      outcome(await nurse.patch(pathOf(each.order), [note, awaiting('SELLER')])),
      '422 order-closed /1/value'
    )
  }
  const accepted = await asked('BUYER')
  await provider.patch(pathOf(accepted.order), transitionTo('ACCEPTED'), 204)
  t.equal(await awaitedBy(accepted.order), 'BUYER', 'an acceptance is no answer')
})

t.test('a patch that closes the order also clears the question', async (t) => {
  const { order } = await w.submitted()
  await provider.patch(pathOf(order), [note, awaiting('BUYER'), ...transitionTo('REJECTED')], 204)
  t.equal(await awaitedBy(order), null)
  t.same(await questions(order), [])
  t.same(await answers(order), [])
  t.same(await changes(order), [])
})

t.test('rejects questions that are not allowed', async (t) => {
  const draft = await w.createDraft()
  await w.addLine(draft)
  const { order } = await w.submitted()
  const refuses = async (by: Caller, url: string, patch: object[], refusal: string) =>
    t.equal(outcome(await by.patch(pathOf(url), patch)), refusal, JSON.stringify(patch))
  await writingNothing(t, app.sql, async () => {
    await refuses(nurse, order, [note, awaiting('BUYER')], '403 not-your-move /1/value')
    await refuses(provider, order, [note, awaiting('SELLER')], '403 not-your-move /1/value')
    await refuses(provider, order, [awaiting('BUYER')], '422 awaiting-not-allowed /0/value')
    await refuses(nurse, draft, [note, awaiting('SELLER')], '422 awaiting-not-allowed /1/value')
    await refuses(
      nurse,
      draft,
      [note, awaiting('SELLER'), ...transitionTo('SUBMITTED')],
      '422 awaiting-not-allowed /1/value'
    )
    await refuses(nurse, order, [note, awaiting('ACCOUNTING')], '422 invalid-result /1/value')
  })
  const created = await nurse.post(`${orders}/order`, w.draft({ awaiting: 'SELLER' }))
  t.equal(outcome(created), '400 invalid-body /awaiting')
  t.equal((await nurse.post(`${orders}/order`, w.draft({ awaiting: null }))).status, 201)
})

t.test('keeps a value that is sent unchanged, also with a note', async (t) => {
  const { order } = await asked('BUYER')
  const { etag } = (await nurse.get(pathOf(order), 200)).headers
  for (const by of [nurse, provider]) await by.patch(pathOf(order), [awaiting('BUYER')], 204)
  t.equal((await nurse.get(pathOf(order), 200)).headers.etag, etag, 'which is no change')
  const resends = [awaiting('BUYER'), replace('/awaiting', 'BUYER')]
  for (const resend of resends) await nurse.patch(pathOf(order), [note, resend], 204)
  t.equal(await awaitedBy(order), 'BUYER', 'a patch that sets it wins over its own note')
  t.equal((await changes(order)).length, 1)
  await nurse.patch(pathOf(order), [note, { op: 'test', path: '/awaiting', value: 'BUYER' }], 204)
  t.equal(await awaitedBy(order), null, 'a test sets nothing')
  const closed = await asked('SELLER')
  await provider.patch(pathOf(closed.order), [note, awaiting('SELLER'), ...transitionTo('REJECTED')], 204)
  t.equal(await awaitedBy(closed.order), null, 'the end of the order clears it')
})
