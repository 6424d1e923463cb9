import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { add, catalogue, orders, pathOf, replace, transitionTo, world } from '../fixtures/world.js'

const app = await testApp(t)
const { sql } = app
const w = await world(app)

interface Event {
  position: string
  type: string
  change: string
  subject_id: string
  owner_id: string
  sequence: number
  old_status: string | null
  new_status: string | null
  is_of_draft: boolean
  traceparent: string | null
}

/** The events of a resource and its parts, by position. */
const eventsOf = (url: string) =>
  sql<Event[]>`select * from events where ${idOf(url)} in (subject_id, owner_id) order by position`

/** An event as text: type, change, sequence, statuses. */
const text = ({ type, change, sequence, old_status, new_status }: Event) =>
  [type, change, sequence, old_status, new_status].filter((each) => each !== null).join(' ')

t.test('each change of an order has its events, in the correct order', async (t) => {
  const order = await w.createDraft({ notes: [{ note: 'told to nobody' }] })
  const [first, second] = [await w.addLine(order), await w.addLine(order)]
  const patch = (caller: typeof w.nurse, url: string, body: unknown, status = 204) =>
    caller.patch(pathOf(url), body, status)
  await w.nurse.delete(pathOf(await w.addLine(order)), 204)
  await patch(w.nurse, order, [replace('/name', 'A name')])
  await patch(w.nurse, order, [
    replace('/priority', true),
    add('/notes/-', { note: 'another' }),
    ...transitionTo('SUBMITTED')
  ])
  await patch(w.provider, order, transitionTo('DRAFT'), 409)
  await patch(w.provider, order, transitionTo('ACCEPTED'))
  await patch(w.provider, first, transitionTo('FULFILLED'))
  await patch(w.provider, second, transitionTo('FULFILLED'))

  const found = await eventsOf(order)
  t.same(found.map(text), [
    'order.created created 1 DRAFT',
    'order-line.added created 1 UNFULFILLED',
    'order-line.added created 1 UNFULFILLED',
    'order-line.added created 1 UNFULFILLED',
    'order-line.removed deleted 2',
    'order.submitted changed 2 DRAFT SUBMITTED',
    'order.priority-changed changed 3',
    'order.note-added changed 4',
    'order-line.status-changed changed 2 UNFULFILLED SUBMITTED',
    'order-line.status-changed changed 2 UNFULFILLED SUBMITTED',
    'order.status-changed changed 5 SUBMITTED ACCEPTED',
    'order-line.status-changed changed 3 SUBMITTED FULFILLED',
    'order.status-changed changed 6 ACCEPTED FULFILLED',
    'order-line.status-changed changed 3 SUBMITTED FULFILLED'
  ])
  t.same(
    found.map(({ is_of_draft }) => is_of_draft),
    found.map((_, at) => at < 5),
    'what happened before the submission is marked'
  )
  t.ok(found.every(({ owner_id }) => owner_id === idOf(order)))
  const all = JSON.stringify(await sql`select * from events`)
  for (const secret of ['Patient', 'Rasmus', 'told to nobody', 'another', 'A name'])
    t.notOk(all.includes(secret), `no event holds ${secret}`)
})

t.test('resources of one request have an event each', async (t) => {
  const line = { item: w.monitor, action: 'DELIVER' }
  const order = await w.nurse.create(`${orders}/order`, w.draft({ orderLines: [line, line] }))
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  t.same((await eventsOf(order)).map(text), [
    'order.created created 1 DRAFT',
    'order-line.added created 1 UNFULFILLED',
    'order-line.added created 1 UNFULFILLED',
    'order.submitted changed 2 DRAFT SUBMITTED',
    'order-line.status-changed changed 2 UNFULFILLED SUBMITTED',
    'order-line.status-changed changed 2 UNFULFILLED SUBMITTED'
  ])

  const events = (type: string) => sql<Event[]>`select * from events where type = ${type} order by position`
  const value = { system: 'http://snomed.info/sct', code: '19892000' }
  const annotations = ['first', 'second'].map((name) => ({
    catalogueItem: w.monitor,
    buyer: w.buyer,
    name,
    value
  }))
  const annotated = await w.clerk.post(`${catalogue}/annotations`, annotations, 201)
  t.same(
    (await events('annotation.changed')).map(({ subject_id }) => subject_id),
    idsOf(annotated.body)
  )
  const [entry] = (await w.clerk.get(`${catalogue}/white-lists`, 200)).body
  await w.clerk.delete(`${catalogue}/white-list/${entry.id}`, 204)
  const { buyer, item } = entry
  const listed = await w.clerk.post(`${catalogue}/white-lists`, [{ buyer, item }], 201)
  t.equal((await events('white-list.changed')).at(-1)?.subject_id, listed.body[0].id)
})

t.test('events carry the trace context of their request, if it is valid', async (t) => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  for (const [sent, kept] of [
    [traceparent, traceparent],
    ['Asta Opdigtet', null]
  ]) {
    const traced = { traceparent: String(sent) }
    const { headers } = await w.nurse.post(`${orders}/order`, w.draft(), 201, traced)
    const [event] = await eventsOf(String(headers.location))
    t.equal(event?.traceparent, kept)
  }
})

t.test('each change of a resource other than an order has one event', async (t) => {
  const textsOf = async (url: string) =>
    (await eventsOf(url)).filter((event) => event.subject_id === idOf(url)).map(text)
  const put = async (url: string, more: object, status = 204) => {
    const { body } = await w.clerk.get(pathOf(url), 200)
    await w.clerk.put(pathOf(url), { ...body, ...more }, status)
  }
  await put(w.catalogue, { status: 'INACTIVE' })
  t.same(await textsOf(w.catalogue), [
    'catalogue.changed created 1 ACTIVE',
    'catalogue.changed changed 2 ACTIVE INACTIVE'
  ])
  await put(w.monitor, { status: 'DISCONTINUED' })
  t.same(await textsOf(w.monitor), [
    'catalogue-item.created created 1 AVAILABLE',
    'catalogue-item.changed changed 2 AVAILABLE DISCONTINUED'
  ])
  await put(w.buyer, { name: 'Renamed' })
  t.same(await textsOf(w.buyer), ['party.changed created 1', 'party.changed changed 2'])
  await put(w.contract, { name: 'Renamed' })
  t.same(await textsOf(w.contract), ['contract.changed created 1', 'contract.changed changed 2'])

  const annotation = await w.clerk.create(`${catalogue}/annotation`, {
    catalogueItem: w.monitor,
    buyer: w.buyer,
    name: 'note',
    value: { system: 'http://snomed.info/sct', code: '19892000' }
  })
  await put(annotation, { name: 'another' })
  await w.clerk.delete(pathOf(annotation), 204)
  t.same(await textsOf(annotation), [
    'annotation.changed created 1',
    'annotation.changed changed 2',
    'annotation.changed deleted 3'
  ])
  const [entry] = (await w.clerk.get(`${catalogue}/white-lists`, 200)).body
  const url = `${catalogue}/white-list/${entry.id}`
  await w.clerk.delete(url, 204)
  t.same(await textsOf(url), ['white-list.changed created 1', 'white-list.changed deleted 2'])
  const before = await sql`select position from events`
  await w.nurse.post(
    `${catalogue}/black-list`,
    { patient: 'https://fhir.example/Patient/p1', item: w.monitor },
    201
  )
  await w.clerk.put(pathOf(w.buyer), { name: 'Nothing else' }, 400)
  t.equal(
    (await sql`select position from events`).length,
    before.length,
    'black lists and refusals tell nothing'
  )
})

t.test('a change that is rolled back has no event', async (t) => {
  const order = await w.createDraft()
  await sql.unsafe(`create function fail() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create constraint trigger fail after update on orders deferrable initially deferred for each row execute function fail()`)
  const count = async () => (await sql`select from events`).length
  const before = await count()
  t.equal((await w.nurse.patch(pathOf(order), transitionTo('CANCELLED'))).status, 500)
  t.equal(await count(), before)
})
