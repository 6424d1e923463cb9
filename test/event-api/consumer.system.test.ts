import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { unsignedToken } from '../../src/platform/auth/tokens/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import { readOn } from '../fixtures/events/reading.js'
import { moveTo, orders, organization, pathOf, world } from '../fixtures/world.js'

const source = readFileSync('examples/consumer.mjs', 'utf8')

/** Stores the consumer of the guide in a folder of its own. */
function storeConsumer(t: Test): string {
  const program = join(mkdtempSync(join(tmpdir(), 'consumer-')), 'consumer.mjs')
  t.teardown(() => rmSync(dirname(program), { recursive: true }))
  writeFileSync(program, source)
  return program
}

t.test('the consumer of the guide prints events as they happen, and goes on', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const url = await app.app.listen({ host: '127.0.0.1', port: 0 })
  const program = storeConsumer(t)
  t.ok(source.trim().split('\n').length <= 30, 'it has at most 30 lines')
  // The server names its public URL in links, which differs from that of this test.
  const publicUrl = app.app.resourceUrls.base('ssl-order').slice(0, -orders.length)
  writeFileSync(
    program,
    source.replace('await fetch(next,', `await fetch(next.replace('${publicUrl}', '${url}'),`)
  )
  const run = () => {
    const child = spawn(process.execPath, [program], {
      env: {
        ORDER_API: `${url}${orders}`,
        STATE: `${program}.next`,
        TOKEN: unsignedToken({ userType: 'MonitoringResponsible', organization: organization('region') })
      },
      stdio: ['ignore', 'pipe', 'inherit']
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => (await lines.next()).value as string
    return { child, next }
  }
  const first = run()
  const before = (await readOn(w.nurse)).events.length
  for (let at = 0; at < before; at++) await first.next()
  const order = await w.createDraft()
  t.equal(await first.next(), `order.created ${order} DRAFT`)
  while (!readFileSync(`${program}.next`, 'utf8').includes('after=')) await new Promise(setImmediate)
  const stored = readFileSync(`${program}.next`, 'utf8')
  const withoutWait = stored.slice(publicUrl.length).replace(/wait=\d+&/, '')
  while (
    readFileSync(`${program}.next`, 'utf8') === stored &&
    (await readOn(w.nurse, withoutWait)).events.length > 0
  )
    await new Promise((resolve) => setTimeout(resolve, 10))
  first.child.kill()
  await once(first.child, 'exit')
  await w.addLine(order)
  await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
  const second = run()
  t.match(await second.next(), /^order-line.added .* UNFULFILLED$/)
  t.equal(await second.next(), `order.submitted ${order} SUBMITTED`)
  second.child.kill()
  await once(second.child, 'exit')
})

t.test('the consumer of the guide waits when it shall, and begins again after 410', async (t) => {
  const program = storeConsumer(t)
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { url = '' } = request
    asked.push(url)
    if (asked.length <= 2)
      return response.writeHead(asked.length === 1 ? 503 : 429, { 'retry-after': '0' }).end()
    // A consumer that asks for the same again ends with this.
    if (url.includes('after=old')) return response.writeHead(asked.length === 3 ? 410 : 400).end()
    const next = `http://127.0.0.1:${port}/events?after=${asked.length}`
    response.writeHead(200, { link: `<${next}>; rel="next"` })
    response.end(JSON.stringify([{ type: 'order.created', subject: url, data: { newStatus: 'DRAFT' } }]))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  writeFileSync(`${program}.next`, `${base}/events?after=old`)
  const child = spawn(process.execPath, [program], {
    env: { ORDER_API: base, STATE: `${program}.next`, TOKEN: 'token' },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  t.equal((await lines.next()).value, 'order.created /events?wait=25 DRAFT')
  t.equal((await lines.next()).value, 'order.created /events?after=4 DRAFT')
  child.kill()
  await once(child, 'exit')
  server.closeAllConnections()
  server.close()
  const old = '/events?after=old'
  t.same(asked.slice(0, 5), [old, old, old, '/events?wait=25', '/events?after=4'])
  t.match(readFileSync(`${program}.next`, 'utf8'), /after=\d+$/)
})
