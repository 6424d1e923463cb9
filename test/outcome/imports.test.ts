import t from 'tap'
import type { ApiResponse } from '../fixtures/callers.js'
import { appBehindProxy, effectMessage } from '../fixtures/database-proxy.js'
import { upload } from '../fixtures/excel/client.js'
import { workbookOf } from '../fixtures/excel/edit.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { world } from '../fixtures/world.js'

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

t.test('an import whose connection is lost', async (t) => {
  const app = await appBehindProxy(t)
  const { proxy, sql } = app
  const { provider } = await world(app)

  for (const point of ['after', 'before'] as const)
    t.test(`does not claim an outcome when its commit is cut ${point} PostgreSQL`, async (t) => {
      const name = `cut ${point}`
      // Only the import inserts a catalogue; its commit comes next on that connection.
      let importing: Promise<ApiResponse> | undefined
      await sql.begin(async (tx) => {
        await tx`lock table catalogues in share mode`
        importing = upload(provider, 'POST', '/catalogue', await workbook(name))
        await until(async () => (await countWaiting(sql)) > 0)
        proxy.cut(point, effectMessage, false)
      })
      t.equal(outcome((await importing) as ApiResponse), '503 outcome-unknown')
      t.ok(proxy.restore())
      const made = await sql`select from catalogues where name = ${name}`
      t.equal(made.length, point === 'after' ? 1 : 0)
    })
})
