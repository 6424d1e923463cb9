import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { unsignedToken } from '../../src/home/unsigned-token.js'
import { testApp } from '../fixtures/app.js'
import { readOn } from '../fixtures/events/reading.js'
import { moveTo, orders, organization, pathOf, world } from '../fixtures/world.js'

const guide = readFileSync('docs/api/events.md', 'utf8')

t.test('the consumer of the guide prints events as they happen, and goes on', async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const url = await app.app.listen({ host: '127.0.0.1', port: 0 })
  const [, source = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  t.ok(source.trim().split('\n').length <= 30, 'it has at most 30 lines')
  const program = join(mkdtempSync(join(tmpdir(), 'consumer-')), 'consumer.mjs')
  t.teardown(() => rmSync(dirname(program), { recursive: true }))
  // The server names its public URL in links, which differs from that of this test.
  const publicUrl = app.app.resourceUrls.base('ssl-order').slice(0, -orders.length)
  writeFileSync(
    program,
    source.replace('await fetch(next,', `await fetch(next.replace('${publicUrl}', '${url}'),`)
  )
  const run = () => {
    const child = spawn(process.execPath, [program], {
      env: {
        ...{ ORDER_API: `${url}${orders}`, STATE: `${program}.next` },
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
