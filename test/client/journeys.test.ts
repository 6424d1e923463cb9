import t from 'tap'
import { idOf, ProblemError, SslClient } from '../../clients/typescript/src/index.js'
import type { UserType } from '../../src/platform/auth/caller.js'
import { testApp } from '../fixtures/app.js'
import { tokenOf } from '../fixtures/callers.js'
import { plantDelivery } from '../fixtures/devices.js'
import { freePort } from '../fixtures/free-port.js'
import { idsOf } from '../fixtures/routes/addresses.js'
import { organization, patient, world } from '../fixtures/world.js'

/** The journeys of docs/api/applications.md with the client, and the number of calls of each. */

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const server = await testApp(t, { PUBLIC_URL: url })
await server.app.listen({ host: '127.0.0.1', port })
const w = await world(server)

/** A client of a user, and the calls it made. */
function clientOf(userType: UserType, of: string) {
  const calls: string[] = []
  const client = new SslClient({
    origin: url,
    token: tokenOf(userType, of),
    fetch: (address, init) => {
      calls.push(`${init.method} ${new URL(address).pathname.split('/')[3]}`)
      return fetch(address, init)
    }
  })
  return { ...client, calls }
}

t.test('an employee orders a device and its repair', async (t) => {
  const { order, catalogue, calls } = clientOf('MonitoringResponsible', 'region')
  const { data: me } = await order.getMe()
  const [buyer = ''] = me.parties
  const found = await catalogue.listCatalogueItem({ buyer, patient: patient('p1'), q: 'monitor' }).first()
  t.same(idsOf(found.entries), [idOf(w.monitor), idOf(w.repair)])
  const items = found.entries.map((item) => catalogue.urlOf('catalogue-item', item))
  t.same(items, [w.monitor, w.repair])
  const answers = await order.checkOrderability({ buyer, patient: patient('p1'), items })
  t.same(
    answers.map(({ orderable, reasons }) => [orderable, reasons]),
    items.map(() => [true, []])
  )

  const draft = {
    buyer,
    seller: w.seller,
    receiver: { name: 'Asta Opdigtet', patient: patient('p1') },
    orderLines: [
      { item: w.monitor, action: 'DELIVER' },
      { item: w.repair, action: 'REPAIR' }
    ]
  } as const
  const { id } = await order.createOrder(draft)
  await order.patchOrder(id, [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }])
  t.equal(calls.length, 5, calls.join(', '))

  const { data: details } = await order.getOrderDetails(id)
  t.equal(details.order.status.code, 'SUBMITTED')
  t.equal(details.orderLines.length, 2)
  const again = order.patchOrder(id, [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }])
  await t.rejects(again, { name: 'ProblemError', status: 409, code: 'illegal-transition' })
})

t.test('an employee sees the devices at home, and which patients have a recalled device', async (t) => {
  const lotNumber = 'L-2207'
  const { line } = await plantDelivery(server, w, { patient: patient('p2'), lot: lotNumber })
  await plantDelivery(server, w, { patient: patient('p2'), ended: 'RETURNED' })
  const { order, calls } = clientOf('MonitoringResponsible', 'region')
  const atHome = await order.listOrderLine({ patient: patient('p2'), inUse: true, expand: ['items'] }).first()
  t.same(idsOf(atHome.entries), [idOf(line)])
  t.match(atHome.entries[0], { device: { item: w.monitor, lotNumber, until: null } })
  t.match(atHome.expanded[w.monitor], { name: 'Blood pressure monitor' })
  t.equal(calls.length, 1)

  const homes = await order
    .listOrderLine({
      deviceItem: [w.monitor],
      lotNumber: [lotNumber],
      inUse: true,
      expand: ['orders', 'items']
    })
    .first()
  t.match(
    homes.entries.map((each) => homes.expanded[each.order]),
    [{ receiver: { name: 'Rasmus Receiver', patient: patient('p2') } }]
  )
  t.equal(calls.length, 2)
})

t.test('a provider sees new orders and processes one', async (t) => {
  await w.submitted(1)
  const { order, calls } = clientOf('Provider', 'provider')
  const inbox = order.listOrder({
    status: ['SUBMITTED'],
    sort: '-submitted',
    expand: ['orderLines', 'items']
  })
  const page = await inbox.first()
  t.equal(page.entries[0]?.status.code, 'SUBMITTED')
  t.ok(w.monitor in page.expanded, 'the items are in the same response')

  const id = page.entries[0]?.id ?? ''
  await order.patchOrder(id, [
    { op: 'replace', path: '/status/code', value: 'ACCEPTED' },
    { op: 'add', path: '/notes/-', value: { note: 'On Monday.' } }
  ])
  const left = await inbox.first()
  t.notOk(
    left.entries.some((each) => each.id === id),
    'the order has left the inbox'
  )
  const reading = await order.getOrder(id)
  t.equal(reading.data.status.code, 'ACCEPTED')
  const after = await order.patchOrder(id, [{ op: 'replace', path: '/status', value: 'FULFILLED' }], {
    returnResource: true
  })
  t.equal(after?.status.code, 'FULFILLED')
  t.equal(calls.length, 5, calls.join(', '))
})

t.test('a provider agrees on times and lists the round of a day', async (t) => {
  const { lines } = await w.submitted(2)
  const { order, calls } = clientOf('Provider', 'provider')
  for (const [at, line] of lines.entries())
    await order.patchOrderLine(idOf(line), [
      { op: 'add', path: '/agreedFrom', value: `2026-03-05T1${2 - at}:00:00+01:00` },
      { op: 'add', path: '/agreedTo', value: `2026-03-05T1${3 - at}:00:00+01:00` }
    ])
  const day = {
    agreedFrom: '2026-03-05',
    agreedTo: '2026-03-05',
    sort: 'agreedFrom',
    status: ['SUBMITTED']
  } as const
  const round = await order.listOrderLine({ ...day, expand: ['orders', 'items'] }).first()
  t.same(idsOf(round.entries), lines.map(idOf).toReversed())
  for (const { order, item } of round.entries) t.ok(order in round.expanded && item in round.expanded)
  t.equal(calls.length, 3, calls.join(', '))
})

t.test('a clerk registers a buyer and chooses its items', async (t) => {
  const { order, catalogue, calls } = clientOf('AdministrativeClerk', 'region')
  const party = {
    allowedRoles: ['BUYER'],
    name: 'Odder Kommune',
    organization: organization('region')
  } as const
  const { url: buyer } = await order.createParty(party)
  const found = await order.listParty({ organization: party.organization, role: 'BUYER', q: 'odder' }).all()
  t.same(idsOf(found), [idOf(buyer)])
  await catalogue.createWhiteLists([w.monitor, w.repair].map((item) => ({ buyer, item })))
  const value = { system: 'http://snomed.info/sct', code: '258057004' }
  await catalogue.createAnnotations([{ catalogueItem: w.monitor, buyer, name: 'ehealth/device-type', value }])
  t.equal(calls.length, 4, calls.join(', '))

  const listed: string[] = []
  for await (const { item } of catalogue.listWhiteList({ buyer, limit: 1 })) listed.push(item)
  t.same(listed, [w.monitor, w.repair], 'the entries of two pages')
  t.equal(calls.length, 6)
  const item = await catalogue.getCatalogueItem(idOf(w.monitor))
  t.equal(await catalogue.getCatalogueItem(idOf(w.monitor), { known: item }), item, 'nothing has changed')
  const list = catalogue.listWhiteList({ buyer })
  const page = await list.first()
  t.equal(await list.first(page), page, 'the list has not changed either')
  await catalogue.deleteWhiteList(page.entries[0]?.id ?? '')
  t.equal((await list.first(page)).entries.length, 1, 'now it has')
  const refused = await order.createParty({ ...party, allowedRoles: [] }).catch((error: unknown) => error)
  t.ok(refused instanceof ProblemError)
  t.match(refused, { code: 'invalid-body', errors: [{ pointer: '/allowedRoles', code: 'min-items' }] })
})

t.test('a misspelt request does not compile, and the server rejects it', async (t) => {
  const order = await w.createDraft()
  const [id, lineId] = [idOf(order), idOf(await w.addLine(order))]
  const client = clientOf('MonitoringResponsible', 'region').order
  const misspelt = [
    // @ts-expect-error a status
    client.patchOrder(id, [{ op: 'replace', path: '/status/code', value: 'SUBMITED' }]),
    // @ts-expect-error a status, as a coding
    client.patchOrder(id, [{ op: 'replace', path: '/status', value: { system: 's', code: 'SUBMITED' } }]),
    // @ts-expect-error a status of an order, for a line
    client.patchOrderLine(lineId, [{ op: 'replace', path: '/status/code', value: 'ACCEPTED' }]),
    // @ts-expect-error a path
    client.patchOrder(id, [{ op: 'replace', path: '/priorty', value: true }]),
    // @ts-expect-error a filter
    client.listOrder({ status: ['SUBMITED'] }).first()
  ]
  const codes = misspelt.map((request) => request.catch((error: ProblemError) => error.code))
  t.same(await Promise.all(codes), [
    'unknown-coding',
    'unknown-coding',
    'unknown-coding',
    'unpatchable-target',
    'invalid-query'
  ])
})
