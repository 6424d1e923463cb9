import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { projectRoot } from '../../src/platform/util/project-root.js'
import { newSecret } from '../../src/webhooks/secrets.js'
import { testApp } from '../fixtures/app.js'
import { freePort } from '../fixtures/server.js'
import { orders, world } from '../fixtures/world.js'

const source = readFileSync('examples/receiver.mjs', 'utf8')

t.test('the receiver of the guide prints the events that it gets', async (t) => {
  const port = await freePort()
  const target = `http://127.0.0.1:${port}`
  const secret = newSecret()
  t.ok(source.trim().split('\n').length <= 30, 'it has at most 30 lines')
  // Within the project, whose packages it imports.
  mkdirSync(join(projectRoot, '.tap'), { recursive: true })
  const program = join(mkdtempSync(join(projectRoot, '.tap', 'receiver-')), 'receiver.mjs')
  t.teardown(() => rmSync(dirname(program), { recursive: true }))
  writeFileSync(program, source)
  const child = spawn(process.execPath, [program], {
    env: { SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => (await lines.next()).value as string

  const app = await testApp(t, { EVENT_TARGETS: target })
  const w = await world(app)
  const subscription = await w.nurse.create(`${orders}/subscription`, {
    target: `${target}/`,
    types: ['order.created'],
    secret
  })
  t.equal((await next()).trim(), `subscription.test ${subscription}`)
  const order = await w.createDraft()
  t.equal(await next(), `order.created ${order} DRAFT`)
  child.kill()
  await once(child, 'exit')
})
