import { randomUUID } from 'node:crypto'
import t from 'tap'
import { shownHash } from '../../src/audit/stored-patient.js'
import { testApp } from '../fixtures/app.js'
import { putRow } from '../fixtures/audit/rows.js'
import { pagesAt } from '../fixtures/order-lists.js'
import { idOf, idsOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { orders, organization, patient, withQuery, world } from '../fixtures/world.js'

interface Event {
  id: string
  entity: { what: { reference?: string; identifier?: { value: string; type?: object } } }[]
}

const app = await testApp(t, { TIME_ZONE: 'Europe/Copenhagen' })
const { sql, as } = app
const { patientHash } = app.app.audit
const { nurse, provider, otherNurse, submitted } = await world(app)

const list = async (query: Record<string, string>, caller = nurse): Promise<Event[]> =>
  (await caller.get(withQuery(`${orders}/audit-events`, query), 200)).body
const one = async (id: string): Promise<Event> => (await nurse.get(`${orders}/audit-event/${id}`, 200)).body
const found = async (query: Record<string, string>, caller = nurse) => idsOf(await list(query, caller))

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
    patients: Array<string>(count).fill(patientHash(patient('p'))),
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
  const of = (url: string) => ({ patients: [patientHash(patient('p1'))], orders: [idOf(url)], recorded })
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
    patients: ['p1', 'p8', 'p9'].map((name) => patientHash(patient(name))),
    orders: [idOf(order), null, randomUUID()]
  })
  const shown = [shownHash(patientHash(patient('p1'))), order]
  const subjects = ({ entity }: Event) =>
    entity.flatMap(({ what }) => what.reference ?? (what.identifier?.type ? what.identifier.value : []))
  t.same(subjects(await one(mixed)), shown, 'the buyer sees only its order in a foreign event')
  const listed = (await list({ ...day, order })).find(({ id }) => id === mixed)
  t.same(listed && subjects(listed), shown)
  t.same(await found({ ...day, order, patient: patient('p8') }), [], 'foreign patients do not match')
})
