import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { callersOf } from '../fixtures/callers.js'
import { readOn } from '../fixtures/events/reading.js'
import { type Receiver, startReceiver } from '../fixtures/events/receiver.js'
import { startInstance } from '../fixtures/events/webhooks.js'
import { idsOf } from '../fixtures/routes/addresses.js'
import type { Server } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'
import { orders, organization, pathOf, transitionTo } from '../fixtures/world.js'

const types = [
  'order.created',
  'order-line.added',
  'order.submitted',
  'order-line.status-changed',
  'order.status-changed'
]

/** Subscribes a nurse through this instance. Returns the path of the subscription. */
const subscribeAt = async ({ url }: Server, receiver: Receiver): Promise<string> =>
  pathOf(
    await callersOf(url)('MonitoringResponsible', organization('region')).create(`${orders}/subscription`, {
      ...{ target: `${receiver.url}/`, types, secret: receiver.secret }
    })
  )

t.test('another instance takes over from one that is killed', async (t) => {
  const receiver = await startReceiver(t)
  // The instance of the test allows no targets, so it only writes.
  const { app, w } = await testWorld(t, { EVENT_TARGETS: '' })
  const start = (await readOn(w.nurse)).next
  const first = await startInstance(t, app, receiver)
  const path = await subscribeAt(first, receiver)
  await until(async () => (await w.nurse.get(path, 200)).body.status === 'ACTIVE')
  const second = await startInstance(t, app, receiver)

  // Answers slowly at first, so that an attempt is in flight when the instance is killed.
  let isSlow = true
  receiver.answerWith(({ event }) => {
    if (event.type === 'subscription.test' || !isSlow) return 200
    return (response) => setTimeout(() => response.writeHead(200).end(), 100)
  })
  const work = async () => {
    for (let turn = 0; turn < 3; turn++) {
      const order = await w.createDraft()
      const line = await w.addLine(order)
      await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
      await w.provider.patch(pathOf(line), transitionTo('FULFILLED'), 204)
    }
  }
  await Promise.all([work(), work()])
  await until(() => receiver.received.length > 5)
  await first.stop('SIGKILL')
  isSlow = false
  await work()

  const { events } = await readOn(w.nurse, `${start}&types=${types.join()}`)
  t.equal(events.length, 9 * 6)
  await until(async () => new Set(idsOf(receiver.received)).size > events.length)
  const delivered = receiver.received.filter(({ event }) => event.type !== 'subscription.test')
  const firsts = delivered.filter(({ id }, at) => delivered.findIndex((each) => each.id === id) === at)
  t.same(idsOf(firsts), idsOf(events), 'each event at least once, in the order of the feed')
  t.ok(delivered.length <= events.length + 1, 'only the attempt in flight is repeated')
  t.same(receiver.rejected, [])
  await second.stop()
  const [state] = await app.sql`select lease from subscription_deliveries`
  t.equal(state?.lease, null, 'an instance that ends gives its leases back')
})

t.test('an instance that saw no subscription takes over', async (t) => {
  const receiver = await startReceiver(t)
  const { app, w } = await testWorld(t, { EVENT_TARGETS: '' })
  const maker = await startInstance(t, app, receiver)
  const other = await startInstance(t, app, receiver)
  const path = await subscribeAt(maker, receiver)
  await until(async () => (await w.nurse.get(path, 200)).body.status === 'ACTIVE')
  await maker.stop('SIGKILL')
  await app.sql`update subscription_deliveries set lease_until = now()`
  const order = await w.createDraft()
  await until(async () => {
    // A health check is sufficient.
    await fetch(`${other.url}/health/live`)
    return receiver.events().length > 0
  })
  t.match(
    receiver.events().map(({ subject }) => pathOf(subject)),
    [pathOf(order)]
  )
})
