import t from 'tap'
import { testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { rowFor } from '../fixtures/excel/catalogue-rows.js'
import { deviceRows, historyOf, importRows, itemsOf, undoImport } from '../fixtures/excel/undo.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { catalogue as api, orders, organization, pathOf, transitionTo, world } from '../fixtures/world.js'

t.test('the undo of an import during other requests', async (t) => {
  const app = await testApp(t, { DATABASE_POOL: '8', CLERK_SCOPE: 'any' }, undefined, {
    limits: { bulkConcurrency: 8 }
  })
  const w = await world(app)
  const { clerk, nurse, buyer } = w
  /** A new catalogue of one device. */
  const fresh = async () => {
    const { import: id, catalogue: url } = await importRows(clerk, { Devices: deviceRows('X') })
    return { id: id as string, url: url as string }
  }

  t.test(
    'an order that is submitted meanwhile neither waits nor is rejected, and keeps its line',
    async (t) => {
      const { id, url } = await fresh()
      const [{ id: itemId }] = await itemsOf(clerk, url)
      const item = `${new URL(w.monitor).origin}${api}/catalogue-item/${itemId}`
      await clerk.create(`${api}/white-list`, { buyer, item })
      const [draft, empty] = [await w.createDraft(), await w.createDraft()]
      const line = await w.addLine(draft, { item })
      let undone: Promise<ApiResponse> | undefined
      await app.sql.begin(async (tx) => {
        // At that time the undo has written everything except its history entry.
        await tx`lock table catalogue_imports in share row exclusive mode`
        undone = undoImport(clerk, id)
        await until(async () => (await countWaiting(app.sql)) > 0)
        await nurse.patch(pathOf(draft), transitionTo('SUBMITTED'), 204)
        await nurse.create(`${orders}/order-line`, { order: empty, item, action: 'DELIVER' })
      })
      t.equal((await undone)?.status, 200)
      t.match((await nurse.get(pathOf(line), 200)).body, { item, status: { code: 'SUBMITTED' } })
      t.equal(
        outcome(await nurse.patch(pathOf(empty), transitionTo('SUBMITTED'))).slice(0, 24),
        '422 catalogue-not-active'
      )
    }
  )

  t.test('two imports and an undo run one after the other', async (t) => {
    const other = app.as('AdministrativeClerk', organization('other-region'))
    for (let round = 0; round < 6; round++) {
      const { url } = await fresh()
      const file = (name: string) => ({ Devices: [...deviceRows('Y'), rowFor.Devices('X', { Name: name })] })
      const wrong = await importRows(
        clerk,
        { Devices: [...deviceRows('W'), rowFor.Devices('X', { Name: 'W' })] },
        url
      )
      // Each organization runs one import at a time.
      const first = () => importRows(w.provider, file(`1 of ${round}`), url)
      const second = () => importRows(clerk, file(`2 of ${round}`), url)
      const taken = () => undoImport(other, wrong.import)
      const runs =
        [
          [taken, first, second],
          [first, taken, second]
        ][round % 2] ?? []
      let responses: Promise<unknown[]> = Promise.resolve([])
      await app.sql.begin(async (tx) => {
        // No request writes an item before all three wait, for this lock or for each other.
        await tx`lock table catalogue_items in share mode`
        responses = Promise.all(runs.map((run) => run()))
        await until(async () => (await countWaiting(app.sql)) >= runs.length)
      })
      const undone = (await responses)[round % 2] as ApiResponse
      const items = new Map((await itemsOf(clerk, url)).map((each) => [each.name, each]))
      t.equal(items.size, 3)
      t.equal([`1 of ${round}`, `2 of ${round}`].filter((name) => items.has(name)).length, 1)
      t.match(items.get('Device Y'), { status: 'AVAILABLE' })
      const isUndone = undone.status === 200
      if (!isUndone) t.equal(outcome(undone), '409 import-not-undoable')
      t.match(items.get('Device W'), { status: isUndone ? 'UNAVAILABLE' : 'AVAILABLE' })
    }
  })

  t.test('a concurrent change of an item is not lost', async (t) => {
    for (let round = 0; round < 6; round++) {
      const { url } = await fresh()
      const made = await importRows(clerk, { Devices: [rowFor.Devices('X', { Name: 'W' })] }, url)
      const [item] = await itemsOf(clerk, url)
      const put = () => clerk.put(`${api}/catalogue-item/${item.id}`, { ...item, name: 'Put' }, 204)
      const [undone] = await Promise.all([undoImport(clerk, made.import), put()])
      t.ok(['200', '409 catalogue-changed'].includes(outcome(undone)), outcome(undone))
      t.match(await itemsOf(clerk, url), [{ name: 'Put' }])
    }
  })

  t.test('one of two undos of an import takes effect', async (t) => {
    const { id, url } = await fresh()
    const both = await Promise.all([undoImport(clerk, id), undoImport(clerk, id)])
    t.same(both.map(({ status }) => status).sort(), [200, 409])
    t.equal((await historyOf(clerk, url)).length, 2)
  })
})
