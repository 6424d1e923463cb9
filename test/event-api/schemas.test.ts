import t from 'tap'
import { reportExpiringContracts } from '../../src/agreement/expiring-contracts.js'
import { eventTypes } from '../../src/ledger/event-types.js'
import { reportReminders } from '../../src/order/reminders/report-reminders.js'
import { type TestApp, testWorld } from '../fixtures/app.js'
import { compileSchema, eventSchemas, schemaFaultOf } from '../fixtures/events/event-schemas.js'
import { type Event, readOn } from '../fixtures/events/reading.js'
import { idOf } from '../fixtures/routes/addresses.js'
import {
  add,
  agreeTime,
  catalogue,
  orders,
  pathOf,
  replace,
  scale,
  transitionTo,
  type World
} from '../fixtures/world.js'

t.test('every event matches the schema of its type', async (t) => {
  const { app, w } = await testWorld(t)
  await raiseAll(app, w)
  const events = await readAll(w)
  const raised = new Set(events.map(({ type }) => type))
  t.same([...raised].sort(), Object.values(eventTypes).flat().sort(), 'every type was raised')
  for (const event of events) t.equal(schemaFaultOf(event), undefined, event.type)

  t.test('an event with a fault does not match', async (t) => {
    for (const [type, schema] of [...eventSchemas].filter(([each]) => raised.has(each))) {
      const validate = compileSchema(schema)
      const event = events.find((each) => each.type === type)
      for (const [what, other] of Object.entries(faultyOnes(event as Event)))
        t.notOk(validate(other), `${type}: ${what}`)
      t.ok(
        validate({ ...event, later: 1, data: { ...event?.data, later: 1 } }),
        'further members are allowed'
      )
    }
  })
})

/** Copies of an event, each with one fault. */
function faultyOnes(event: Event): Record<string, object> {
  const { data, ...others } = event
  const { url: _, ...withoutUrl } = data
  const elsewhere = 'https://ssl.example/ssl-order/v1/elsewhere/1'
  const statuses = ['oldStatus', 'newStatus'].filter((name) => name in data)
  return {
    'another type': { ...event, type: 'order.seen' },
    'another version': { ...event, specversion: '2.0' },
    'no data': others,
    'another subject': { ...event, subject: elsewhere },
    'no number': { ...event, sequence: '3' },
    'another kind': { ...event, data: { ...data, kind: 'Trace' } },
    'another change': { ...event, data: { ...data, change: 'seen' } },
    'no URL': { ...event, data: withoutUrl },
    'another URL': { ...event, data: { ...data, url: elsewhere } },
    ...Object.fromEntries(
      statuses.map((name) => [`another ${name}`, { ...event, data: { ...data, [name]: 'SEEN' } }])
    )
  }
}

/** Raises every type of event, and each change that a type may report. */
async function raiseAll(app: TestApp, w: World): Promise<void> {
  await raiseOrderEvents(w)
  await raiseReminders(app, w)
  const put = async (url: string, more: object) => {
    const { body } = await w.clerk.get(pathOf(url), 200)
    await w.clerk.put(pathOf(url), { ...body, ...more }, 204)
  }
  const tomorrow = new Date(Date.now() + 86_400_000)
  const end = [tomorrow.getUTCFullYear(), tomorrow.getUTCMonth() + 1, tomorrow.getUTCDate()]
  await put(w.buyer, { name: 'Renamed' })
  await put(w.contract, { reminderDays: 30, validityPeriod: { start: [2020, 1, 1], end } })
  await reportExpiringContracts(app.app)
  await put(w.monitor, { status: 'UNAVAILABLE' })
  await put(w.catalogue, { status: 'INACTIVE' })
  const annotation = { catalogueItem: w.monitor, buyer: w.buyer, name: 'note', value: scale }
  const annotated = await w.clerk.create(`${catalogue}/annotation`, annotation)
  await put(annotated, { name: 'another' })
  await w.clerk.delete(pathOf(annotated), 204)
  const [entry] = (await w.clerk.get(`${catalogue}/white-lists`, 200)).body
  await w.clerk.delete(`${catalogue}/white-list/${entry.id}`, 204)
}

async function raiseReminders(app: TestApp, w: World): Promise<void> {
  const { order, lines } = await w.submitted()
  await app.sql`update orders set submitted_at = '2026-01-01', answer_due_at = '2026-01-04' where id = ${idOf(order)}`
  await app.sql`update order_lines set agreed_from = now() + interval '1 hour', agreed_to = now() + interval '2 hours'
    where id = ${idOf(lines[0] ?? '')}`
  await app.sql`update contracts set reminder_days = 1`
  await reportReminders(app.app)
}

async function raiseOrderEvents(w: World): Promise<void> {
  const order = await w.createDraft()
  const [delivered, returned] = [await w.addLine(order), await w.addLine(order)]
  await w.nurse.delete(pathOf(await w.addLine(order)), 204)
  const note = add('/notes/-', { note: 'seen' })
  await w.nurse.patch(pathOf(order), [replace('/priority', true), note, ...transitionTo('SUBMITTED')], 204)
  await w.nurse.patch(pathOf(order), [replace('/receiver/phone', '1')], 204)
  await w.provider.patch(pathOf(order), [note, add('/awaiting', 'BUYER'), ...transitionTo('ACCEPTED')], 204)
  await w.nurse.patch(pathOf(order), [add('/latestDeliveryDate', '2026-03-06')], 204)
  await w.provider.patch(
    pathOf(delivered),
    [...agreeTime('2026-03-05T08:00:00Z', '2026-03-05T09:00:00Z'), ...transitionTo('FULFILLED')],
    204
  )
  await w.provider.patch(pathOf(delivered), [add('/device/udi', 'U')], 204)
  const about = { item: w.monitor, action: 'PICKUP', relatedTo: delivered }
  await w.nurse.patch(pathOf(await w.createDraft({ orderLines: [about] })), transitionTo('SUBMITTED'), 204)
  await w.provider.patch(pathOf(returned), transitionTo('UNFULFILLED'), 204)
  await w.nurse.patch(pathOf(returned), transitionTo('CANCELLED'), 204)
  const draft = await w.createDraft({
    orderLines: [{ item: w.monitor, action: 'DELIVER', status: 'SUBMITTED' }]
  })
  await w.nurse.patch(pathOf(draft), transitionTo('CANCELLED'), 204)
  await w.provider.patch(pathOf((await w.submitted()).order), transitionTo('REJECTED'), 204)
  await w.nurse.delete(pathOf(await w.createDraft()), 204)
}

/** The events that at least one caller of the world sees, each once. */
async function readAll({ nurse, clerk, provider }: World): Promise<Event[]> {
  const all = new Map<string, Event>()
  for (const caller of [nurse, clerk, provider])
    for (const api of [orders, catalogue])
      for (const event of (await readOn(caller, `${api}/events`)).events) all.set(event.id, event)
  return [...all.values()]
}
