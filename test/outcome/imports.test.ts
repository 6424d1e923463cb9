import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { appBehindProxy, committing } from '../fixtures/database-proxy.js'
import { countWaiting } from '../fixtures/distributed.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { pathOf, world } from '../fixtures/world.js'

const workbook = (name: string) =>
  workbookOf({
    Catalogue: [
      ['Name', 'Seller'],
      [name, 'provider']
    ],
    Devices: [
      ['Identifier system 1', 'Identifier 1', 'Name', 'Manufacturer', 'Model'],
      ['urn:no', name, `Device of ${name}`, 'Maker', 'M']
    ]
  })

t.test('an import job that loses its connection', async (t) => {
  const app = await appBehindProxy(t)
  const { proxy, sql } = app
  const { provider } = await world(app)
  const prefer = { prefer: 'respond-async' }
  const catalogues = async (name: string) => (await sql`select from catalogues where name = ${name}`).length

  /** The final state of the import job. */
  async function end(location: string) {
    for (;;) {
      const { status, body } = await provider.get(pathOf(location))
      if (status === 200 && body.state !== 'running') return body
      await pause(20)
    }
  }

  for (const point of ['after', 'before'] as const)
    t.test(`reports its outcome when its commit is cut ${point} PostgreSQL`, async (t) => {
      const name = `cut ${point}`
      // Only the import inserts a catalogue; its commit comes next on that connection.
      const begun = await sql.begin(async (tx) => {
        await tx`lock table catalogues in share mode`
        const response = await upload(provider, 'POST', '/catalogue', await workbook(name), prefer)
        while ((await countWaiting(sql)) === 0) await pause(5)
        proxy.cut(point, committing, false)
        return response
      })
      t.equal(begun.status, 202)
      while (!proxy.isCut()) await pause(5)
      proxy.restore()
      const page = await end(begun.headers.location ?? '')
      const isThere = point === 'after'
      t.equal(await catalogues(name), isThere ? 1 : 0)
      t.match(page, isThere ? { state: 'succeeded' } : { state: 'failed', problem: { status: 503 } })
      if (!isThere) t.equal(page.problem.code, 'database-unavailable')
    })

  t.test('does not deny that it started when its page cannot be read', async (t) => {
    proxy.cut('after', committing)
    const response = await upload(provider, 'POST', '/catalogue', await workbook('unread'), prefer)
    t.equal(outcome(response), '503 outcome-unknown')
    t.ok(proxy.restore())
    t.equal((await sql`select from imports where state = 'running'`).length, 1)
    t.equal(await catalogues('unread'), 0)
  })
})
