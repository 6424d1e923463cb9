import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { orders, organization, pathOf, patient, replace, withQuery, world } from '../fixtures/world.js'

interface Row {
  id: string
  same_as: string | null
  count: number
}
interface Event {
  id: string
  subtype: { code: string }[]
  entity: { what: { reference?: string; identifier?: { value: string } } }[]
}

const app = await testApp(t)
const { nurse, createDraft } = await world(app)
const addOrder = (at: number) => createDraft({ receiver: { name: 'R', patient: patient(`p${at}`) } })
const made: string[] = []
for (let at = 0; at < 14; at++) made.push(await addOrder(at))

/** Reads the newest `count` orders. Each test uses another count, and so has other subjects. */
const look = (count: number, caller = nurse) => caller.get(`${orders}/orders?limit=${count}`, 200)

/** Reads the audit records that lists write from now on, oldest first. */
async function watch() {
  const all = () => app.sql<Row[]>`
    select id, same_as, cardinality(orders) as count from audit_events where operation = 'listOrder' order by recorded, id`
  const { length } = await all()
  const rows = async () => (await all()).slice(length)
  async function events(query: Record<string, string> = {}): Promise<Event[]> {
    const { body } = await nurse.get(withQuery(`${orders}/audit-events`, query), 200)
    const ids = (await rows()).map(({ id }) => id)
    return body.filter(({ id }: Event) => ids.includes(id)).reverse()
  }
  return { rows, events }
}
const told = ({ entity }: Event) => entity.slice(0, -1)

t.test('a repeated page is recorded by reference to its first record', async (t) => {
  const { rows, events } = await watch()
  for (let time = 0; time < 3; time++) await look(12)
  const [first, ...others] = await rows()
  t.match(first, { same_as: null, count: 12 })
  t.match(others, [
    { same_as: first?.id, count: 0 },
    { same_as: first?.id, count: 0 }
  ])
  const all = await events()
  t.equal(all.length, 3)
  t.equal(new Set(all.map(({ id }) => id)).size, 3)
  t.equal(told(all[0] as Event).length, 24)
  for (const event of all) {
    t.same(told(event), told(all[0] as Event))
    t.same((await nurse.get(`${orders}/audit-event/${event.id}`, 200)).body, event)
  }
  const order = made[13] ?? ''
  for (const query of [{ order }, { patient: patient('p13') }, { order, patient: patient('p13') }])
    t.equal((await events(query)).length, 3, Object.keys(query).join(' and '))
  for (const { entity } of await events({ order }))
    t.equal(entity.length, 3, 'the event of an order has only that order')
  t.same(await events({ order, patient: patient('p12') }), [], 'not the patient of another order')

  const patch = [replace('/receiver/patient', patient('another'))]
  await nurse.patch(pathOf(order), patch, 204)
  await look(12)
  await addOrder(14)
  for (const count of [13, 12, 9, 9]) await look(count)
  const named = [12, 13, 12, 9, 9].map((count) => ({ same_as: null, count }))
  t.match((await rows()).slice(3), named, 'other subjects, and fewer than ten, are named')
})

t.test('another caller is recorded by the same reference and sees the events of its side', async (t) => {
  const { rows } = await watch()
  await look(11)
  await look(11, app.as('MonitoringResponsible', organization('region'), { name: 'Colleague' }))
  const [first, second] = await rows()
  t.equal(second?.same_as, first?.id)
  const { body } = await nurse.get(`${orders}/audit-events`, 200)
  t.match(body[0], { agent: [{ who: { identifier: { value: 'Colleague' } } }, {}] })
})

t.test('after an hour all subjects are named again', async (t) => {
  const { rows } = await watch()
  const hour = 60 * 60 * 1000
  const now = performance.now.bind(performance)
  for (const later of [0, hour - 60_000, hour + 1]) {
    t.intercept(performance, 'now', { value: () => now() + later })
    // lru-cache reads the clock at most once a millisecond.
    await setTimeout(5)
    await look(10)
  }
  t.match(
    (await rows()).map(({ count }) => count),
    [10, 0, 10]
  )
})

t.test('without the first record all subjects are named again', async (t) => {
  const { rows, events } = await watch()
  await look(14)
  await look(14)
  const [first] = await rows()
  await app.sql`alter table audit_events disable trigger audit_events_append_only`
  await app.sql`delete from audit_events where id = ${first?.id ?? ''}`
  await app.sql`alter table audit_events enable trigger audit_events_append_only`
  await Promise.all([look(14), look(14)])
  await look(14)
  const [orphan, ...later] = await rows()
  t.match(orphan, { same_as: first?.id, count: 0 })
  t.equal(later.length, 3)
  const whole = later.filter(({ count }) => count === 14)
  t.ok(whole.length > 0)
  for (const { same_as, count } of later)
    t.ok(
      count === 14 || whole.some(({ id }) => id === same_as),
      'has subjects or refers to a record that has'
    )
  t.equal(later.at(-1)?.count, 0)
  const [withoutNames, ...told] = await events()
  t.equal(withoutNames?.entity.length, 1, 'the remaining members are still shown')
  for (const { entity } of told) t.equal(entity.length, 29)
})

t.test('a row has either subjects or a reference', async (t) => {
  const { rows } = await watch()
  await look(8)
  const [first] = await rows()
  await t.rejects(
    app.sql`
      insert into audit_events (id, recorded, request_id, operation, interaction, user_type, patients, orders, same_as)
      select gen_random_uuid(), recorded, request_id, operation, interaction, user_type, patients, orders, id
      from audit_events where id = ${first?.id ?? ''}`,
    { code: '23514' }
  )
})
