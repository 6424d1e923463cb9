import { randomUUID } from 'node:crypto'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { putRow, referenceOf } from '../fixtures/audit/rows.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, organization, patient, withQuery, world } from '../fixtures/world.js'

interface Event {
  id: string
  action: string
  outcome: string
  outcomeDesc?: string
  agent: object[]
  entity: { what: { reference?: string } }[]
}

const app = await testApp(t, { AUDIT_PATIENTS: 'reference', TIME_ZONE: 'Europe/Copenhagen' })
const { sql, as } = app
const { nurse, provider, otherNurse, submitted } = await world(app)

const list = async (query: Record<string, string>, caller = nurse): Promise<Event[]> =>
  (await caller.get(withQuery(`${orders}/audit-events`, query), 200)).body
const one = async (id: string): Promise<Event> => (await nurse.get(`${orders}/audit-event/${id}`, 200)).body
const found = async (query: Record<string, string>, caller = nurse) => idsOf(await list(query, caller))

t.test('an event has its action and outcome', async (t) => {
  const actions = { read: 'R', 'search-type': 'R', create: 'C', update: 'U', patch: 'U', delete: 'D' }
  for (const [interaction, action] of Object.entries(actions))
    t.equal((await one(await putRow(sql, { interaction }))).action, action, interaction)
  const outcomes = {
    'not-found': '4',
    forbidden: '4',
    'illegal-transition': '4',
    'item-not-available': '4',
    'internal-error': '8',
    busy: '8',
    'outcome-unknown': '8',
    'clinical-backend-unavailable': '8'
  }
  for (const [problem, wanted] of Object.entries(outcomes))
    t.match(await one(await putRow(sql, { problem })), { outcome: wanted, outcomeDesc: problem }, problem)
  const done = await one(await putRow(sql))
  t.equal(done.outcome, '0')
  t.notOk('outcomeDesc' in done)
})

t.test('an event has the caller that the token names', async (t) => {
  const { order } = await submitted()
  const stranger = { orders: [idOf(order)], patients: [null], organization: null, user_id: null }
  const { agent } = await one(await putRow(sql, { ...stranger, user_type: 'Provider' }))
  t.same(agent, [{ type: { text: 'Provider' }, requestor: true }])
})

t.test(
  'a period includes its first moment, excludes its last moment and includes its last day',
  async (t) => {
    const at = (moment: string) => putRow(sql, { recorded: new Date(moment) })
    // A summer day in Copenhagen starts at 22:00 UTC.
    const [before, first, noon, last, next] = [
      await at('2020-06-30T21:59:59.999Z'),
      await at('2020-06-30T22:00:00.000Z'),
      await at('2020-07-01T12:00:00.000Z'),
      await at('2020-07-01T21:59:59.999Z'),
      await at('2020-07-01T22:00:00.000Z')
    ]
    const year = { from: '2020-01-01', to: '2020-12-31' }
    t.same(await found(year), [next, last, noon, first, before], 'newest first')
    t.same(await found({ ...year, from: '2020-07-01' }), [next, last, noon, first])
    t.same(await found({ ...year, to: '2020-07-01' }), [last, noon, first, before])
    t.same(await found({ from: '2020-07-01', to: '2020-07-01' }), [last, noon, first])
    t.same(await found({ ...year, from: '2020-07-01T12:00:00Z' }), [next, last, noon])
    t.same(await found({ ...year, to: '2020-07-01T12:00:00Z' }), [first, before])
    t.same(await found({ ...year, to: '2020-07-01T12:00:00.001Z' }), [noon, first, before])
  }
)

t.test('events of the same moment are ordered by id, also across pages', async (t) => {
  const recorded = new Date('2021-03-01T12:00:00Z')
  const ids = Array.from({ length: 5 }, () => randomUUID())
    .sort()
    .reverse()
  for (const id of ids.toSorted()) await putRow(sql, { id, recorded })
  const older = await putRow(sql, {
    id: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
    recorded: new Date(+recorded - 1)
  })
  const query = { from: '2021-03-01', to: '2021-03-01' }
  t.same(await found(query), [...ids, older])
  const pages = await pagesAt(nurse, withQuery(`${orders}/audit-events`, { ...query, limit: '2' }))
  t.same(idsOf(pages.flatMap(({ body }) => body)), [...ids, older])
})

t.test('a page has at most 5000 patients and orders and at least one event', async (t) => {
  const many = (count: number) => ({
    patients: Array<string>(count).fill(referenceOf(patient('p'))),
    orders: Array<null>(count).fill(null)
  })
  const pageOn = async (day: string, sizes: number[]) => {
    for (const size of sizes) await putRow(sql, { ...many(size), recorded: new Date(`${day}T12:00:00Z`) })
    const { body, headers } = await nurse.get(`${orders}/audit-events?from=${day}&to=${day}`, 200)
    return [body.length, headers.link !== undefined]
  }
  t.same(await pageOn('2021-01-01', [2500, 2500]), [2, false])
  t.same(await pageOn('2021-01-02', [2500, 2501]), [1, true])
  t.same(await pageOn('2021-01-03', [5001]), [1, false])
  const day = '2021-01-04'
  const named = await putRow(sql, { ...many(3000), recorded: new Date(`${day}T11:00:00Z`) })
  for (let time = 0; time < 2; time++)
    await putRow(sql, { same_as: named, recorded: new Date(`${day}T12:00:00Z`) })
  const { body } = await nurse.get(`${orders}/audit-events?from=${day}T11:30:00Z&to=${day}`, 200)
  t.equal(body.length, 1, 'an event counts its referenced subjects')
})

t.test('each side sees its own events, and a buyer all events of its orders', async (t) => {
  const { order } = await submitted()
  const other = await submitted()
  const recorded = new Date('2021-05-05T12:00:00Z')
  const day = { from: '2021-05-05', to: '2021-05-05' }
  const of = (url: string) => ({ patients: [referenceOf(patient('p1'))], orders: [idOf(url)], recorded })
  const [region, seller] = [organization('region'), organization('provider')]
  const events = {
    nurse: await putRow(sql, { ...of(order), organization: region }),
    clerk: await putRow(sql, { ...of(order), organization: region, user_type: 'AdministrativeClerk' }),
    provider: await putRow(sql, { ...of(order), organization: seller, user_type: 'Provider' }),
    // An organization may both order and deliver.
    delivering: await putRow(sql, { ...of(other.order), organization: region, user_type: 'Provider' }),
    ordering: await putRow(sql, { ...of(other.order), organization: seller })
  }
  const names = async (query: Record<string, string>, caller = nurse) => {
    const ids = await found({ ...day, ...query }, caller)
    return Object.entries(events).flatMap(([name, id]) => (ids.includes(id) ? [name] : []))
  }
  t.same(await names({}), ['nurse', 'clerk'])
  t.same(await names({}, provider), ['provider'])
  t.same(await names({}, otherNurse), [])
  t.same(await names({ order }), ['nurse', 'clerk', 'provider'])
  t.same(await names({ order: other.order }), ['delivering', 'ordering'])
  t.same(await names({ order }, provider), ['provider'])
  t.same(await names({ order }, otherNurse), [])
  t.same(await names({ order }, as('MonitoringResponsible', seller)), [])
  t.same(await names({ patient: patient('p1') }), ['nurse', 'clerk'])
  t.same(await names({ patient: patient('p2') }), [])

  const readable = async (caller: typeof nurse) => {
    const names: string[] = []
    for (const [name, id] of Object.entries(events))
      if (outcome(await caller.get(`${orders}/audit-event/${id}`)) === '200') names.push(name)
    return names
  }
  t.same(await readable(nurse), Object.keys(events))
  t.same(await readable(provider), ['provider'])
  t.same(await readable(otherNurse), [])
  t.same(await readable(as('Provider', region)), ['delivering'])
  t.same(await readable(as('MonitoringResponsible', seller)), ['ordering'])

  const mixed = await putRow(sql, {
    recorded,
    organization: seller,
    user_type: 'Provider',
    patients: ['p1', 'p8', 'p9'].map((name) => referenceOf(patient(name))),
    orders: [idOf(order), null, randomUUID()]
  })
  const shown = [patient('p1'), order]
  const references = ({ entity }: Event) => entity.flatMap(({ what }) => what.reference ?? [])
  t.same(references(await one(mixed)), shown, 'the buyer sees only its order in a foreign event')
  const listed = (await list({ ...day, order })).find(({ id }) => id === mixed)
  t.same(listed && references(listed), shown)
  t.same(await found({ ...day, order, patient: patient('p8') }), [], 'foreign patients do not match')
})
