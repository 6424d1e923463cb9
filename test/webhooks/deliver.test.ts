import { Ajv } from 'ajv'
import t from 'tap'
import { eventSchemas } from '../fixtures/events/event-schemas.js'
import { readOn, textOf } from '../fixtures/events/reading.js'
import type { Receiver } from '../fixtures/events/receiver.js'
import { webhookServer } from '../fixtures/events/webhooks.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { until } from '../fixtures/waiting.js'
import { orders, organization, pathOf, transitionTo } from '../fixtures/world.js'

const types = ['order.created', 'order.submitted', 'order.status-changed', 'order-line.status-changed']
const { w, as, sql, subscribe } = await webhookServer(t)

/** The subjects of the events that were accepted. */
const subjectsOf = (receiver: Receiver) => receiver.events().map(({ subject }) => subject)

t.test(
  'a subscription delivers the events that its caller may see, signed, after a test event',
  async (t) => {
    const { receiver, path } = await subscribe(t, { types })
    const [test] = receiver.accepted
    t.match(test?.event, {
      specversion: '1.0',
      type: 'subscription.test',
      datacontenttype: 'application/json',
      data: { kind: 'Subscription', change: 'changed' }
    })
    t.equal(pathOf(test?.event.subject ?? ''), path)
    const { next } = await readOn(w.nurse, `${orders}/events?types=${types.join()}`)
    const { order, lines } = await w.submitted()
    await w.provider.patch(pathOf(lines[0] ?? ''), transitionTo('FULFILLED'), 204)
    const { events } = await readOn(w.nurse, next)
    await until(() => receiver.events().length >= events.length)
    t.same(receiver.events(), events, 'the events of the feed, in its order')
    t.ok(events.some(({ subject }) => subject === order))
    for (const { id, event, headers } of receiver.accepted) {
      t.equal(id, event.id, 'webhook-id is the id of the event')
      t.equal(headers['content-type'], 'application/cloudevents+json')
      t.match(headers['webhook-signature'], /^v1,\S+$/)
    }
    t.same(receiver.accepted.length, new Set(receiver.accepted.map(({ id }) => id)).size, 'each once')
    for (const { body } of receiver.received) t.notMatch(body, /Patient|Rasmus/)
    const last = events.at(-1)
    // Also sorted by id, because the events of one change have the same time.
    const isRecorded = async () => {
      const { deliveredUntil, attempts } = (await w.nurse.get(path, 200)).body
      return Date.parse(deliveredUntil) >= Date.parse(last?.time ?? '') && attempts[0]?.event === last?.id
    }
    await until(isRecorded)
    const { body } = await w.nurse.get(path, 200)
    t.match(body, { status: 'ACTIVE', statusReason: null, failures: 0, nextAttempt: null, types })
    t.match(body.attempts[0], { event: last?.id, attempt: 1, result: 'DELIVERED' })
    t.notMatch(JSON.stringify(body), /whsec_/, 'the secret is not shown again')
  }
)

t.test('a seller gets no events of drafts or of other parties', async (t) => {
  const { receiver } = await subscribe(t, { caller: w.provider, types })
  await w.createDraft()
  const { order } = await w.submitted()
  await until(() => receiver.events().length >= 2)
  t.same(receiver.events().map(textOf), [
    'order.submitted DRAFT SUBMITTED',
    'order-line.status-changed UNFULFILLED SUBMITTED'
  ])
  t.ok(receiver.events().every(({ subject, data }) => [subject, data.order].includes(order)))
})

t.test('the permissions of a subscription are those of its creator', async (t) => {
  const region = organization('region')
  const caller = as('MonitoringResponsible', region, { permissions: ['Subscription.*', 'Party.read'] })
  const { receiver, path } = await subscribe(t, { caller, types: [...types, 'party.changed'] })
  await w.createDraft()
  await w.clerk.create(`${orders}/party/`, { allowedRoles: ['BUYER'], name: 'new', organization: region })
  await until(() => receiver.events().length > 0)
  t.same(receiver.events().map(textOf), ['party.changed'])
  t.match((await w.clerk.get(path, 200)).body, {
    userType: 'MonitoringResponsible',
    permissions: ['Party.read', 'Subscription.*']
  })
  for (const other of [w.otherNurse, w.otherProvider, w.provider]) {
    await other.get(path, 404)
    t.same((await other.get(`${orders}/subscriptions`, 200)).body, [])
  }
  await w.nurse.put(path, { target: `${receiver.url}/hook`, types }, 204)
  const order = await w.createDraft()
  await until(() => receiver.events().length > 1)
  t.same(
    subjectsOf(receiver).slice(1),
    [order],
    'and then of the caller who replaced it; what was invisible is not delivered later'
  )
})

t.test('pause, resume and delete', async (t) => {
  const { receiver, path } = await subscribe(t)
  await w.nurse.post(`${path}/pause`, undefined, 204)
  const order = await w.createDraft()
  const count = receiver.received.length
  t.match((await w.nurse.post(`${path}/test`, undefined)).body, { code: 'subscription-stopped' })
  t.match((await w.nurse.get(path, 200)).body, { status: 'PAUSED' })
  t.equal(receiver.received.length, count)
  await w.nurse.post(`${path}/resume`, undefined, 204)
  await until(() => receiver.events().length > 0)
  t.same(subjectsOf(receiver), [order], 'it goes on where it stopped')
  await w.nurse.delete(path, 204)
  await w.nurse.get(path, 404)
})

t.test('no transaction is open during a delivery', async (t) => {
  const { receiver } = await subscribe(t)
  const seen: unknown[] = []
  receiver.answerWith(() => async (response) => {
    seen.push(
      await sql`
        select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and state like 'idle in transaction%'`
    )
    response.writeHead(204).end()
  })
  await w.createDraft()
  await until(() => seen.length > 0)
  t.same(seen[0], [])
})

t.test('deliveries of events of orders are in the audit record', async (t) => {
  const { receiver, path } = await subscribe(t, { types: ['order.created', 'party.changed'] })
  const order = await w.createDraft()
  await until(() => receiver.events().length > 0)
  const rows = await sql`select user_type, organization, orders from audit_events
    where operation = 'deliverEvent' and request_id = ${path.split('/').at(-1) ?? ''}`
  t.match(rows, [
    {
      user_type: 'MonitoringResponsible',
      organization: organization('region'),
      orders: [order.split('/').at(-1)]
    }
  ])
})

t.test('a test may send the example of a type once, according to its schema', async (t) => {
  const { receiver, path } = await subscribe(t, { types: ['order.created'] })
  await w.nurse.post(`${path}/test?type=order-line.status-changed`, undefined, 202)
  await until(() => receiver.events().length === 1)
  const [event] = receiver.events()
  t.match(event, { type: 'order-line.status-changed', data: { kind: 'OrderLine' } })
  t.notMatch(event, { traceparent: String })
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(
    eventSchemas.get('order-line.status-changed') ?? {}
  )
  t.ok(validate(event), JSON.stringify(validate.errors))
  t.equal((await w.nurse.get(pathOf(event?.subject ?? ''))).status, 404, 'what it is about does not exist')
  await w.nurse.post(`${path}/test`, undefined, 202)
  const tests = () => receiver.accepted.filter(({ event }) => event.type === 'subscription.test')
  await until(() => tests().length === 2)
  t.equal(
    outcome(await w.nurse.post(`${path}/test?type=order.nothing`, undefined)),
    '400 invalid-query /type'
  )
})
