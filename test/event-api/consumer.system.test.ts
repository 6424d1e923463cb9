import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { testWorld } from '../fixtures/app.js'
import { nurseToken } from '../fixtures/events/listening.js'
import { readOn } from '../fixtures/events/reading.js'
import { freePort, temporaryFolder } from '../fixtures/server.js'
import { pathOf, transitionTo } from '../fixtures/world.js'

/** Runs the consumer of the guide. */
function consume(t: Test, ORIGIN: string, STATE: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/consumer.ts'], {
    env: { PATH: process.env.PATH, ORIGIN, STATE, TOKEN: nurseToken() },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  child.stderr.pipe(process.stderr)
  const linesOf = (input: Readable) => {
    const lines = createInterface({ input })[Symbol.asyncIterator]()
    return async () => (await lines.next()).value as string
  }
  const [next, nextError] = [linesOf(child.stdout), linesOf(child.stderr)]
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { next, nextError, stop }
}

t.test('the consumer of the guide prints events as they happen, and continues after a restart', async (t) => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const { app, w } = await testWorld(t, { PUBLIC_URL: origin })
  await app.app.listen({ host: '127.0.0.1', port })
  const state = join(temporaryFolder(t), 'cursor')
  const isStored = async () => {
    if (!existsSync(state)) return false
    const after = encodeURIComponent(readFileSync(state, 'utf8'))
    return (await readOn(w.nurse, `/ssl-order/v1/events?after=${after}`)).events.length === 0
  }

  const first = consume(t, origin, state)
  const before = (await readOn(w.nurse)).events.length
  for (let at = 0; at < before; at++) await first.next()
  const order = await w.createDraft()
  t.equal(await first.next(), `order.created ${order} DRAFT`)
  while (!(await isStored())) await new Promise((resolve) => setTimeout(resolve, 10))
  await first.stop()
  await w.addLine(order)
  await w.nurse.patch(pathOf(order), transitionTo('SUBMITTED'), 204)
  const second = consume(t, origin, state)
  t.match(await second.next(), /^order-line.added .* UNFULFILLED$/)
  t.equal(await second.next(), `order.submitted ${order} SUBMITTED`)
  await second.stop()
})

t.test('the consumer reports that no server responds, and tries again', async (t) => {
  const origin = `http://127.0.0.1:${await freePort()}`
  const consumer = consume(t, origin, join(temporaryFolder(t), 'cursor'))
  const report = `No server responds at ${origin}. Start one with npm start, or set ORIGIN to another server. The program tries again.`
  for (let at = 0; at < 2; at++) t.equal(await consumer.nextError(), report)
  await consumer.stop()
})
