import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { orders, pathOf, patient, replace, transitionTo, world } from '../fixtures/world.js'

const app = await testApp(t)
const { nurse, provider, createDraft, addLine, draft, buyer } = await world(app)
const idsOf = (lines: { id: string }[]) => lines.map(({ id }) => id)

t.test('a new order may omit members, and use aliases and other forms of some members', async (t) => {
  const order = await nurse.create(`${orders}/order`, {
    ...draft(),
    status: 'DRAFT',
    receiver: { name: 'R', clinicalRef: patient('p3'), 'addressLine 1': 'Line 1' }
  })
  t.match((await nurse.get(pathOf(order), 200)).body, {
    identifiers: [],
    name: null,
    priority: false,
    notes: [],
    status: { code: 'DRAFT', display: 'Draft' },
    receiver: { name: 'R', addressLine1: 'Line 1', addressLine2: null, patient: patient('p3') }
  })
})

t.test('a faulty order is rejected with all its errors', async (t) => {
  const receiver = { name: 'R', patient: patient('a'), clinicalRef: patient('b') }
  const { status, body } = await nurse.post(
    `${orders}/order`,
    draft({
      seller: buyer,
      receiver: { ...receiver, addressLine1: 'a', 'addressLine 1': 'b' },
      notes: Array.from({ length: 201 }, () => ({ note: 'again' })),
      orderLines: [{ item: buyer, action: 'DELIVER' }]
    })
  )
  t.equal(status, 400)
  t.same(
    body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/receiver/clinicalRef', '/receiver/addressLine 1', '/seller', '/orderLines/0/item', '/notes']
  )
  const draftOrder = await createDraft()
  const patched = await nurse.patch(pathOf(draftOrder), [
    replace(
      '/notes',
      Array.from({ length: 201 }, () => ({ note: 'again' }))
    ),
    replace('/seller', buyer)
  ])
  t.match(patched, {
    status: 422,
    body: {
      errors: [
        { pointer: '/1/value', code: 'wrong-role' },
        { pointer: '/0/value', code: 'too-many-notes' }
      ]
    }
  })
})

t.test('a deleted draft is not found', async (t) => {
  const order = await createDraft()
  const line = await addLine(order)
  await nurse.delete(pathOf(order), 204)
  for (const url of [pathOf(order), `${pathOf(order)}/details`, pathOf(line)]) await nurse.get(url, 404)
  t.same((await nurse.get(`${orders}/trace-lines?order=${encodeURIComponent(order)}`, 200)).body, [])
  await nurse.delete(pathOf(order), 404)
  await nurse.patch(pathOf(order), [replace('/name', 'x')], 404)
})

t.test('a line deleted from a draft is not found', async (t) => {
  const order = await createDraft()
  const [kept, gone] = [await addLine(order), await addLine(order)]
  await nurse.delete(pathOf(gone), 204)
  await nurse.get(pathOf(gone), 404)
  await nurse.delete(pathOf(gone), 404)
  await nurse.patch(pathOf(gone), transitionTo('CANCELLED'), 404)
  const left = [kept.slice(-36)]
  const listed = await nurse.get(`${orders}/order-lines?order=${encodeURIComponent(order)}`, 200)
  t.same(idsOf(listed.body), left)
  t.same(idsOf((await nurse.get(`${pathOf(order)}/details`, 200)).body.orderLines), left)
  await nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  t.same(idsOf((await provider.get(`${pathOf(order)}/details`, 200)).body.orderLines), left)
})

t.test('a row of a deleted line is kept', async (t) => {
  const line = await addLine(await createDraft())
  await nurse.delete(pathOf(line), 204)
  const rows = await app.sql`select from order_lines where id = ${line.slice(-36)} and deleted_at is not null`
  t.equal(rows.length, 1)
})
