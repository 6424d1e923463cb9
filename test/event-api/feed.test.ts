import t from 'tap'
import { secondServer, testApp, testWorld } from '../fixtures/app.js'
import { plantEvents } from '../fixtures/events/ledger-checks.js'
import { nurseToken, openStream, startListeningServer } from '../fixtures/events/listening.js'
import { type Event, nextOf, readOn, textOf } from '../fixtures/events/reading.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { add, catalogue, orders, organization, pathOf, transitionTo, world } from '../fixtures/world.js'

const feed = `${orders}/events`
const { app, as, sql, w, url: origin } = await startListeningServer(t)

t.test('a feed lists CloudEvents, oldest first', async (t) => {
  const start = (await readOn(w.nurse)).next
  const order = await w.createDraft()
  const line = await w.addLine(order)
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  await w.provider.patch(pathOf(line), transitionTo('FULFILLED'), 204)

  const response = await w.nurse.get(start, 200)
  t.match(response.headers, {
    'content-type': /^application\/cloudevents-batch\+json/,
    'cache-control': 'no-store'
  })
  const events: Event[] = response.body
  t.same(
    events.map(textOf),
    [
      'order.created DRAFT',
      'order-line.added UNFULFILLED',
      'order.submitted DRAFT SUBMITTED',
      'order-line.status-changed UNFULFILLED SUBMITTED',
      'order-line.status-changed SUBMITTED FULFILLED',
      'order.status-changed SUBMITTED FULFILLED'
    ].sort((one, other) => events.map(textOf).indexOf(one) - events.map(textOf).indexOf(other))
  )
  t.same(
    events.map(({ subject, sequence }) => [subject, sequence]),
    events.map(({ type }, at) => [
      type.startsWith('order.') ? order : line,
      events.slice(0, at + 1).filter((each) => each.type.startsWith('order.') === type.startsWith('order.'))
        .length
    ])
  )
  const [, added] = events
  t.match(added, {
    specversion: '1.0',
    id: /^[0-9a-f-]{36}$/,
    source: /\/ssl-order\/v1$/,
    type: 'order-line.added',
    subject: line,
    time: /^\d{4}-.*Z$/,
    datacontenttype: 'application/json',
    data: { kind: 'OrderLine', change: 'created', url: line, order, newStatus: 'UNFULFILLED' }
  })
  t.same((await w.nurse.get(start, 200)).body, events, 'reading again repeats the same events')

  t.test('page by page, with a link in every response', async (t) => {
    let url = `${start}&limit=4`
    const pages: Event[][] = []
    for (let page = 0; page < 4; page++) {
      const response = await w.nurse.get(url, 200)
      pages.push(response.body)
      url = nextOf(response)
    }
    t.same(
      pages.map(({ length }) => length),
      [4, 2, 0, 0]
    )
    t.same(pages.flat(), events)
    await w.nurse.patch(pathOf(order), [add('/notes/-', { note: 'seen' })], 204)
    t.same((await w.nurse.get(url, 200)).body.map(textOf), ['order.note-added'])
  })

  t.test('of some types', async (t) => {
    const answer = await w.nurse.get(`${start}&types=order.submitted,order.note-added`, 200)
    t.same(answer.body.map(textOf), ['order.submitted DRAFT SUBMITTED', 'order.note-added'])
    t.match(nextOf(answer), /types=order.submitted%2Corder.note-added/)
    for (const query of [
      'types=order.seen',
      'types=catalogue.changed',
      'limit=1001',
      'limit=1e999',
      'wait=31',
      'wait=1e999',
      'after=x'
    ])
      t.match(outcome(await w.nurse.get(`${feed}?${query}`)), /^400 invalid-query/, query)
    const { errors } = (await w.nurse.get(`${feed}?types=order.seen&wait=31&after=x&since=1`, 400)).body
    t.same(
      errors.map(({ pointer }: { pointer: string }) => pointer).sort(),
      ['/after', '/since', '/types', '/wait'],
      'all faults at once'
    )
    const cursor = new URL(start, 'http://x').searchParams.get('after')
    for (const list of ['orders', 'order-lines', 'trace-lines', 'audit-events', 'parties', 'subscriptions'])
      t.equal(outcome(await w.nurse.get(`${orders}/${list}?after=${cursor}`)), '400 invalid-query', list)
  })

  t.test('each event requires the permission for its resource', async (t) => {
    const only = (...permissions: string[]) =>
      as('MonitoringResponsible', organization('region'), { permissions })
    const typesFor = async (...permissions: string[]) =>
      new Set((await readOn(only(...permissions))).events.map(({ type }) => type.replace(/[.-].*/, '')))
    t.same(await typesFor('Contract.*', 'Party.read'), new Set(['party', 'contract']))
    t.match(await only('Catalogue.read').get(feed), {
      status: 403,
      body: { detail: 'The token lacks the permission Order.read or Party.read or Contract.read.' }
    })
    t.match(await as().get(feed), { status: 401 })
  })

  t.test('the record of a read names the orders of the response', async (t) => {
    const rows = () =>
      sql`select to_json(orders) as orders from audit_events where operation = 'listOrderEvents' order by recorded, id`
    const before = (await rows()).length
    const { next } = await readOn(w.provider, start)
    const found = (await rows()).slice(before)
    t.equal(found.length, 1)
    t.same(found[0]?.orders, [order.split('/').at(-1)])
    await w.provider.get(next, 200)
    t.equal((await rows()).length, before + 1, 'an empty response is not')
  })

  t.test('a deleted draft leaves only the event of its removal, for its buyer', async (t) => {
    const draft = await w.createDraft()
    const line = await w.addLine(draft)
    const aboutDraft = async () =>
      (await readOn(w.nurse, start)).events.filter(({ subject }) => [draft, line].includes(subject))
    t.equal((await aboutDraft()).length, 2)
    await w.nurse.delete(pathOf(draft), 204)
    const [removed, ...more] = await aboutDraft()
    t.same(more, [])
    t.match(removed, { type: 'order.removed', subject: draft, sequence: '0000000002' })
    t.same(removed?.data, { kind: 'Order', change: 'deleted', url: draft })
  })

  t.test('the catalogue has its own feed', async (t) => {
    const url = `${catalogue}/events`
    const { events: all } = await readOn(w.nurse, url)
    t.same([...new Set(all.map(({ type }) => type))].sort(), [
      'catalogue-item.created',
      'catalogue.changed',
      'white-list.changed'
    ])
    t.same(all.find(({ type }) => type === 'white-list.changed')?.data.buyer, w.buyer)
    t.ok(all.every(({ source }) => source.endsWith(catalogue)))
    const { next } = await readOn(w.nurse, url)
    const cursor = new URLSearchParams(next.split('?')[1]).get('after')
    t.match(
      await w.nurse.get(`${feed}?after=${cursor}`),
      { status: 400 },
      'its cursors are no cursors of the other one'
    )
  })
})

t.test('a cursor older than EVENTS_KEPT is rejected', async (t) => {
  const limited = await testApp(t, { EVENTS_KEPT: '30' })
  const { cursors } = limited.app
  const w = await world(limited)
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const at = (time: Date) =>
    `${feed}?after=${cursors.seal({ feed: 'ssl-order', position: 1, at: time.getTime() })}`
  t.equal(outcome(await w.nurse.get(at(ago(62)))), '410 cursor-too-old')
  await w.nurse.get(at(ago(29)), 200)
  await plantEvents(limited.sql, { time: ago(62) })
  const old = await limited.sql`select id from events where time < ${ago(61)}`
  t.equal(old.length, 1)
  t.notOk(
    (await readOn(w.nurse)).events.some(({ id }) => id === old[0]?.id),
    'nor is such an event listed'
  )
})

t.test('a cursor newer than the restored database is rejected', async (t) => {
  const [row] = await sql`select max(position) as last from events`
  const last = Number(row?.last)
  const { cursors } = app
  const ask = (position: number, accept: string) => {
    const place = { feed: 'ssl-order', position, at: Date.now() }
    return openStream(`${origin}${feed}?after=${cursors.seal(place)}`, nurseToken(), { accept })
  }
  for (const accept of ['application/cloudevents-batch+json', 'text/event-stream']) {
    const { response, status, close } = await ask(last + 1, accept)
    t.equal(status, 410, `${accept}: positions after the end will be given again`)
    if (status === 410) t.match(await response.json(), { code: 'cursor-too-old' })
    close()
  }
  const { response, status } = await ask(last, '*/*')
  t.equal(status, 200)
  t.same(await response.json(), [])
})

t.test('a cursor stays valid after the months of its events were removed', async (t) => {
  const emptied = await testApp(t)
  const { sql } = emptied
  const { next } = await readOn((await world(emptied)).nurse)
  await sql`alter table events disable trigger all`
  await sql`delete from events`
  await sql`alter table events enable trigger all`
  // The cursor is from before these events.
  const other = await secondServer(t, emptied)
  t.same((await other.as('MonitoringResponsible', organization('region')).get(next, 200)).body, [])
})

t.test('a cursor continues at another public address', async (t) => {
  const { app, w } = await testWorld(t, { PUBLIC_URL: 'https://former.example.org' })
  const { next } = await readOn(w.nurse)
  const order = await w.createDraft()
  const moved = await secondServer(t, app, { PUBLIC_URL: 'https://new.example.org', ADDRESSING: 'host' })
  const nurse = moved.as('MonitoringResponsible', organization('region'))
  const { body, headers } = await nurse.get(next, 200)
  t.same(
    body.map(({ subject }: Event) => subject),
    [`https://ssl-order.new.example.org/v1/order/${idOf(order)}`],
    'nothing is repeated or missed'
  )
  t.match(headers.link, /^<https:\/\/ssl-order\.new\.example\.org\/v1\/events\?after=/)
})

t.test('a reader of few events skips many events of other parties', async (t) => {
  let { next } = await readOn(w.otherNurse)
  await plantEvents(sql, { count: 24_000, type: 'order.created' })
  const own = await w.otherNurse.create(`${orders}/order`, w.draft({ buyer: w.otherBuyer }))
  const found: Event[] = []
  for (let requests = 0; found.length === 0 && requests < 4; requests++) {
    const response = await w.otherNurse.get(next, 200)
    found.push(...response.body)
    next = nextOf(response)
  }
  t.match(found, [{ subject: own }], 'each request continues after the events that the previous one read')
})
