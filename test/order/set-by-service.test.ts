import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import type { Caller } from '../fixtures/callers.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, organization, pathOf, replace, transitionTo } from '../fixtures/world.js'

const { app, w } = await testWorld(t)

/** The transitions that an order and its details list, which must be equal. */
async function allowedOrderStatuses(caller: Caller, url: string): Promise<string[]> {
  const { allowedStatuses } = (await caller.get(pathOf(url), 200)).body
  const { order } = (await caller.get(`${pathOf(url)}/details`, 200)).body
  t.same(order.allowedStatuses, allowedStatuses)
  return allowedStatuses
}

t.test('an order lists the transitions that its caller can make', async (t) => {
  const draft = await w.createDraft()
  const cancelledDraft = await w.createDraft()
  await w.nurse.patch(pathOf(cancelledDraft), transitionTo('CANCELLED'), 204)
  t.same(await allowedOrderStatuses(w.nurse, draft), ['CANCELLED'])
  await w.addLine(draft)
  t.same(await allowedOrderStatuses(w.nurse, draft), ['SUBMITTED', 'CANCELLED'], 'with a line')
  t.same(await allowedOrderStatuses(w.nurse, cancelledDraft), [])

  for (const { status, buyer, seller } of [
    { status: 'SUBMITTED', buyer: ['CANCELLED'], seller: ['ACCEPTED', 'REJECTED', 'FULFILLED'] },
    { status: 'ACCEPTED', buyer: ['CANCELLED'], seller: ['FULFILLED'] },
    { status: 'REJECTED', buyer: [], seller: [] },
    { status: 'FULFILLED', buyer: [], seller: [] }
  ]) {
    const { order } = await w.submitted()
    if (status !== 'SUBMITTED') await w.provider.patch(pathOf(order), transitionTo(status), 204)
    t.same(await allowedOrderStatuses(w.nurse, order), buyer, status)
    t.same(await allowedOrderStatuses(w.provider, order), seller, `${status}, seller`)
  }
})

t.test('the transitions of an order depend on its lines', async (t) => {
  const { order, lines } = await w.submitted(2)
  await w.provider.patch(pathOf(lines[0] ?? ''), transitionTo('FULFILLED'), 204)
  t.same(await allowedOrderStatuses(w.nurse, order), [], 'a delivered order cannot be cancelled')
  t.same(await allowedOrderStatuses(w.provider, order), ['ACCEPTED', 'FULFILLED'])
  await w.provider.patch(pathOf(lines[1] ?? ''), transitionTo('UNFULFILLED'), 204)
  t.same(await allowedOrderStatuses(w.provider, order), ['ACCEPTED'], 'nor fulfilled with an open line')
})

/** The transitions that a line and the details of its order list, which must be equal. */
async function allowedLineStatuses(caller: Caller, order: string, line: string): Promise<string[]> {
  const { allowedStatuses } = (await caller.get(pathOf(line), 200)).body
  const { orderLines } = (await caller.get(`${pathOf(order)}/details`, 200)).body
  const inDetails = orderLines.find(({ id }: { id: string }) => line.endsWith(id))
  t.same(inDetails.allowedStatuses, allowedStatuses)
  return allowedStatuses
}

t.test('a line lists the transitions that its caller can make', async (t) => {
  const draft = await w.createDraft()
  t.same(await allowedLineStatuses(w.nurse, draft, await w.addLine(draft)), ['CANCELLED'])

  const { order, lines } = await w.submitted(3)
  const [returned = '', delivered = '', open = ''] = lines
  await w.provider.patch(pathOf(returned), transitionTo('UNFULFILLED'), 204)
  await w.provider.patch(pathOf(delivered), transitionTo('FULFILLED'), 204)
  for (const { line, buyer, seller } of [
    { line: returned, buyer: ['SUBMITTED', 'CANCELLED'], seller: [] },
    { line: delivered, buyer: [], seller: [] },
    { line: open, buyer: ['CANCELLED'], seller: ['UNFULFILLED', 'FULFILLED'] }
  ]) {
    t.same([...(await allowedLineStatuses(w.nurse, order, line))].sort(), [...buyer].sort())
    t.same([...(await allowedLineStatuses(w.provider, order, line))].sort(), [...seller].sort())
  }
  const permissions = ['Order.read', 'Order.update', 'OrderLine.read']
  const reader = app.as('Provider', organization('provider'), { permissions })
  t.same(await allowedLineStatuses(reader, order, open), [], 'without the permission')

  for (const line of [returned, open]) await w.nurse.patch(pathOf(line), transitionTo('CANCELLED'), 204)
  for (const line of lines) t.same(await allowedLineStatuses(w.nurse, order, line), [], 'of a closed order')
})

t.test('a patch of a line applies to the line as GET returns it', async (t) => {
  const { lines } = await w.submitted()
  const path = pathOf(lines[0] ?? '')
  const { allowedStatuses } = (await w.nurse.get(path, 200)).body
  t.same(allowedStatuses, ['CANCELLED'])
  const patched = (operation: object) => w.nurse.patch(path, [operation])
  const test = (value: unknown) => patched({ op: 'test', path: '/allowedStatuses', value })
  t.equal((await test(allowedStatuses)).status, 204)
  t.equal(outcome(await test(['FULFILLED'])), '409 failed-test')
  for (const operation of [
    replace('/allowedStatuses', ['FULFILLED']),
    { op: 'remove', path: '/allowedStatuses' }
  ])
    t.match(outcome(await patched(operation)), /^422 read-only \/0/, operation.op)
  t.equal((await patched(replace('/allowedStatuses', allowedStatuses))).status, 204)
})

t.test('the error for a transition lists the transitions that the caller can make', async (t) => {
  const refusalOf = async (url: string, status: string, caller = w.nurse) =>
    (await caller.patch(pathOf(url), transitionTo(status), 409)).body.detail
  const draft = await w.createDraft()
  const text = 'Order status cannot change from DRAFT to DRAFT. Allowed for you:'
  t.equal(await refusalOf(draft, 'DRAFT'), `${text} CANCELLED.`)
  await w.addLine(draft)
  t.equal(await refusalOf(draft, 'DRAFT'), `${text} SUBMITTED, CANCELLED.`)

  const { order, lines } = await w.submitted(2)
  const [returned = '', delivered = ''] = lines
  const refusals = (url: string) =>
    Promise.all([w.nurse, w.provider].map((caller) => refusalOf(url, 'SUBMITTED', caller)))
  t.match(await refusals(order), [/ you: CANCELLED\.$/, / you: ACCEPTED, REJECTED, FULFILLED\.$/])
  t.match(await refusals(returned), [/ you: CANCELLED\.$/, / you: FULFILLED, UNFULFILLED\.$/])
  await w.provider.patch(pathOf(delivered), transitionTo('FULFILLED'), 204)
  t.match(await refusals(order), [/ you: none\.$/, / you: ACCEPTED, FULFILLED\.$/])
  t.match(await refusalOf(order, 'CANCELLED'), /can cancel the open lines instead/)
  await w.provider.patch(pathOf(returned), transitionTo('UNFULFILLED'), 204)
  await w.provider.patch(pathOf(order), transitionTo('ACCEPTED'), 204)
  t.match(await refusalOf(order, 'ACCEPTED', w.provider), / Allowed for you: none\.$/)
})

t.test('a caller without the permission can make no transition', async (t) => {
  const { order } = await w.submitted()
  const reader = app.as('Provider', organization('provider'), { permissions: ['Order.read'] })
  t.same(await allowedOrderStatuses(reader, order), [])
})

t.test('members that the service sets cannot be patched', async (t) => {
  const draft = pathOf(await w.createDraft())
  for (const [name, value] of Object.entries({
    number: '0000-0000',
    created: '2026-01-01T00:00:00.000Z',
    submitted: '2026-01-01T00:00:00.000Z',
    updated: '2026-01-01T00:00:00.000Z',
    allowedStatuses: []
  }))
    t.equal(outcome(await w.nurse.patch(draft, [replace(`/${name}`, value)])), '422 read-only /0/value')
})

t.test('members that the service sets are ignored in a new order', async (t) => {
  const { body } = await w.nurse.get(pathOf(await w.createDraft()), 200)
  const copy = await w.nurse.create(`${orders}/order`, { ...body, id: null, created: '2000-01-01' })
  t.ok((await w.nurse.get(pathOf(copy), 200)).body.created > body.created)
})

t.test('a patch may test when the order changed', async (t) => {
  const draft = pathOf(await w.createDraft())
  const test = { op: 'test', path: '/updated', value: (await w.nurse.get(draft, 200)).body.updated }
  await w.nurse.patch(draft, [test, replace('/name', 'N')], 204)
  const late = await w.nurse.patch(draft, [test, replace('/name', 'M')])
  t.equal(outcome(late), '409 failed-test')
})
