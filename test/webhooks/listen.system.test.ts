import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import { SslClient } from '../../clients/typescript/src/index.js'
import { testApp } from '../fixtures/app.js'
import { nurseToken } from '../fixtures/events/listening.js'
import { freePort } from '../fixtures/server.js'
import { orders, organization, world } from '../fixtures/world.js'

/** Runs the script as the buyer of the test. */
function listen(url: string, port: number) {
  const options = ['--url', url, '--port', String(port), '--organization', organization('region')]
  const args = ['--import', 'tsx', 'scripts/listen.ts', ...options]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

t.test('npm run listen prints events, and ends its subscription with it', async (t) => {
  const [port, own] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${own}`
  const app = await testApp(t, { EVENT_TARGETS: `http://127.0.0.1:${port}`, PUBLIC_URL: url })
  await app.app.listen({ host: '127.0.0.1', port: own })
  const w = await world(app)
  const child = listen(url, port)
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

t.test('npm run listen prints its usage with --help, and with an unknown option', async (t) => {
  for (const [option, wanted] of [
    ['--help', 0],
    ['--nope', 2]
  ] as const) {
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/listen.ts', option])
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const [code] = await once(child, 'exit')
    t.equal(code, wanted, option)
    t.match(output, /--organization {2}URL/)
    t.notMatch(output, /^ {4}at /m, 'no stack trace')
  }
})

t.test('npm run listen says how to start a server that allows its target', async (t) => {
  const own = await freePort()
  const url = `http://127.0.0.1:${own}`
  const app = await testApp(t, { PUBLIC_URL: url })
  await app.app.listen({ host: '127.0.0.1', port: own })
  await world(app)
  const port = await freePort()
  const child = listen(url, port)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'exit')
  t.equal(code, 1)
  t.match(output, `Start the server with EVENT_TARGETS=http://127.0.0.1:${port}`)
})
