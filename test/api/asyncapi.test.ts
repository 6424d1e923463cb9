import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import t from 'tap'
import { eventTypes } from '../../src/ledger/event-types.js'
import { initialLineStatuses, lineTransitions, orderTransitions } from '../../src/order/model/states.js'
import { testApp } from '../fixtures/app.js'
import { catalogue, orders } from '../fixtures/world.js'

interface Codes {
  enum: string[]
}
interface EventSchema {
  type: string
  examples: { source: string }[]
  properties: { data: { properties: Record<'change' | 'oldStatus' | 'newStatus', Codes> } }
}

const { app, as } = await testApp(t)
const { body: document } = await as().get('/asyncapi.json', 200)
const schemas: Record<string, EventSchema> = document.components.schemas
const feedTypes: readonly string[] = Object.values(eventTypes).flat()
const allTypes = ['subscription.test', ...feedTypes]

/** The sorted codes of a member of the data of a type. */
const codes = (type: string, member: 'oldStatus' | 'newStatus') =>
  schemas[type]?.properties.data.properties[member].enum.toSorted()

t.test('the AsyncAPI document has a schema of each type of event', async (t) => {
  t.same(
    Object.keys(schemas)
      .filter((name) => name.includes('.'))
      .sort(),
    allTypes.toSorted()
  )
})

t.test('every type of event has a valid example', async (t) => {
  const ajv = formats.default(new Ajv())
  for (const [api, types] of Object.entries(eventTypes))
    for (const type of types) {
      const [example] = schemas[type]?.examples ?? []
      const validate = ajv.compile(schemas[type] ?? {})
      t.ok(validate(example), `${type} ${JSON.stringify(validate.errors)}`)
      t.notOk(validate({ ...example, type: 'order.seen' }))
      t.ok(example?.source.endsWith(api === 'ssl-order' ? orders : catalogue))
    }
})

t.test('deliveries to subscriptions are described with the headers of Standard Webhooks', async (t) => {
  const { messages, address } = document.channels['subscription-target']
  t.same(Object.keys(messages), allTypes)
  t.equal(document.operations.deliverEvent.messages.length, allTypes.length)
  t.equal(address, '{path}')
  const ajv = formats.default(new Ajv())
  const [event] = schemas['subscription.test']?.examples ?? []
  t.ok(ajv.compile(schemas['subscription.test'] ?? {})(event))
  t.match(event, {
    data: { kind: 'Subscription' },
    subject: `${orders}/subscription/`
  })

  for (const { headers } of Object.values<{ headers: object }>(messages))
    t.same(headers, { $ref: '#/components/schemas/DeliveryHeaders' })
  const validate = ajv.compile(document.components.schemas.DeliveryHeaders)
  const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
  const signature = `v1,${createHmac('sha256', randomBytes(32)).update(`${id}.${timestamp}.{}`).digest('base64')}`
  const sent = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  t.ok(validate(sent), JSON.stringify(validate.errors))
  t.ok(validate({ ...sent, 'webhook-signature': `${signature} ${signature}` }), 'while a secret is replaced')
  for (const name of Object.keys(sent)) t.notOk(validate({ ...sent, [name]: '' }), name)
})

t.test('events have exactly the statuses of the transitions and value sets', async (t) => {
  const transitionRows = (transitions: Record<string, object>) =>
    Object.entries(transitions).flatMap(([from, targets]) => Object.keys(targets).map((to) => ({ from, to })))
  const distinct = (values: readonly string[]) => [...new Set(values)].sort()
  const expect = (type: string, moves: readonly { from: string; to: string }[]) => {
    t.same(codes(type, 'oldStatus'), distinct(moves.map(({ from }) => from)), `${type} oldStatus`)
    t.same(codes(type, 'newStatus'), distinct(moves.map(({ to }) => to)), `${type} newStatus`)
  }
  const orderRows = transitionRows(orderTransitions)
  expect(
    'order.submitted',
    orderRows.filter(({ to }) => to === 'SUBMITTED')
  )
  expect(
    'order.status-changed',
    orderRows.filter(({ to }) => to !== 'SUBMITTED')
  )
  expect('order-line.status-changed', transitionRows(lineTransitions))
  t.same(codes('order-line.added', 'newStatus'), initialLineStatuses.toSorted())
  for (const [type, set] of [
    ['catalogue.changed', 'catalogue-status'],
    ['catalogue-item.changed', 'catalogue-item-status']
  ] as const) {
    const codings = app.terminology.valueSets().get(set)?.codings ?? []
    const all = codings.map(({ code }) => code).sort()
    t.same([codes(type, 'oldStatus'), codes(type, 'newStatus')], [all, all], type)
  }
})
