import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { SslClient } from '../../clients/typescript/src/index.js'
import { testApp } from '../fixtures/app.js'
import { nurseToken } from '../fixtures/events/listening.js'
import { freePort } from '../fixtures/server.js'
import { orders, world } from '../fixtures/world.js'

/** Runs the example as the buyer of the test. */
function listen(t: Test, url: string, port: number) {
  const args = ['--import', 'tsx', 'examples/receiver.ts']
  const TYPES = 'order.created,order-line.agreed-changed'
  const env = { ...process.env, ORIGIN: url, TOKEN: nurseToken(), PORT: String(port), TYPES }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

t.test('the example prints events, and deletes its subscription when it ends', async (t) => {
  const [port, own] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${own}`
  const app = await testApp(t, { EVENT_TARGETS: `http://127.0.0.1:${port}`, PUBLIC_URL: url })
  await app.app.listen({ host: '127.0.0.1', port: own })
  const w = await world(app)
  const child = listen(t, url, port)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const printed = async (pattern: RegExp) => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`It ended before it printed ${pattern}.`)
      if (pattern.test(value)) return
    }
  }
  await printed(/^subscription\.test /)
  const order = await w.createDraft()
  await printed(new RegExp(`^order\\.created ${order} DRAFT$`))
  const { order: api } = new SslClient({ origin: url, token: nurseToken() })
  const [subscription, ...others] = await api.listSubscription().all()
  t.same(others, [])
  await api.testSubscription(subscription?.id ?? '', { type: 'order-line.agreed-changed' })
  t.match((await lines.next()).value, /^order-line\.agreed-changed /)
  child.kill('SIGINT')
  await once(child, 'exit')
  t.same((await w.nurse.get(`${orders}/subscriptions`, 200)).body, [])
})
