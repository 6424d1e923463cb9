import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { readOn } from '../fixtures/events/reading.js'
import { startReceiver, until } from '../fixtures/events/receiver.js'
import { startServer } from '../fixtures/server.js'
import { asServerRole } from '../fixtures/server-role.js'
import { moveTo, orders, pathOf, world } from '../fixtures/world.js'

const types = [
  'order.created',
  'order-line.added',
  'order.submitted',
  'order-line.status-changed',
  'order.status-changed'
]

t.test('another instance takes over from one that is killed', async (t) => {
  const receiver = await startReceiver(t)
  // The instance of the test allows no targets: it only writes.
  const app = await testApp(t, { EVENT_TARGETS: '' })
  const w = await world(app)
  const start = (await readOn(w.nurse)).next
  const env = {
    DATABASE_URL: asServerRole(app.databaseUrl),
    EVENT_TARGETS: receiver.url,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    PUBLIC_URL: app.app.resourceUrls.base('ssl-order').slice(0, -orders.length)
  }
  const first = await startServer(t, env)
  await first.ready()
  const { unsignedToken } = await import('../../scripts/unsigned-token.js')
  const organization = 'https://fhir.example/Organization/region'
  const response = await fetch(`${first.url}${orders}/subscription`, {
    method: 'POST',
    headers: {
      authorization: unsignedToken({ userType: 'MonitoringResponsible', organization }),
      'content-type': 'application/json'
    },
    body: JSON.stringify({ target: `${receiver.url}/`, types, secret: receiver.secret })
  })
  t.equal(response.status, 201)
  const path = pathOf(response.headers.get('location') ?? '')
  await until(async () => (await w.nurse.get(path, 200)).body.status === 'ACTIVE')
  const second = await startServer(t, env)
  await second.ready()

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
      await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
      await w.provider.patch(pathOf(line), moveTo('FULFILLED'), 204)
    }
  }
  await Promise.all([work(), work()])
  await until(() => receiver.received.length > 5)
  await first.stop('SIGKILL')
  isSlow = false
  await work()

  const { events } = await readOn(w.nurse, `${start}&types=${types.join()}`)
  t.equal(events.length, 9 * 6)
  await until(async () => new Set(receiver.received.map(({ id }) => id)).size > events.length)
  const delivered = receiver.received.filter(({ event }) => event.type !== 'subscription.test')
  const firsts = delivered.filter(({ id }, at) => delivered.findIndex((each) => each.id === id) === at)
  t.same(
    firsts.map(({ id }) => id),
    events.map(({ id }) => id),
    'each event at least once, in the order of the feed'
  )
  t.ok(delivered.length <= events.length + 1, 'only the attempt in flight is repeated')
  t.same(receiver.rejected, [])
  await second.stop()
  const [state] = await app.sql`select lease from subscription_deliveries`
  t.equal(state?.lease, null, 'an instance that ends gives its leases back')
})

t.test('two instances deliver each event once', async (t) => {
  const receiver = await startReceiver(t)
  const app = await testApp(t, { EVENT_TARGETS: receiver.url })
  const w = await world(app)
  const other = await startServer(t, {
    DATABASE_URL: asServerRole(app.databaseUrl),
    EVENT_TARGETS: receiver.url,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64')
  })
  await other.ready()
  const paths: string[] = []
  for (let at = 0; at < 4; at++)
    paths.push(
      pathOf(
        await w.nurse.create(`${orders}/subscription`, {
          ...{ target: `${receiver.url}/${at}`, types: ['order.created'], secret: receiver.secret }
        })
      )
    )
  for (const path of paths) await until(async () => (await w.nurse.get(path, 200)).body.status === 'ACTIVE')
  const made: string[] = []
  for (let at = 0; at < 5; at++) made.push(await w.createDraft())
  await until(() => receiver.events().length >= 20)
  for (const order of made) t.equal(receiver.events().filter(({ subject }) => subject === order).length, 4)
})
