import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { ofOneServer, testApp } from '../fixtures/app.js'
import type { ApiResponse } from '../fixtures/callers.js'
import { committing, type DatabaseProxy, databaseProxy } from '../fixtures/database-proxy.js'
import { countWaiting } from '../fixtures/distributed.js'
import { rowFor } from '../fixtures/excel/catalogue-rows.js'
import { rowsIn } from '../fixtures/excel/content.js'
import { devices, historyOf, imported, itemsOf, obstaclesOf, undo } from '../fixtures/excel/undo.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { catalogue as api, moveTo, orders, pathOf, world } from '../fixtures/world.js'

// A distributed database undoes no import: undo-distributed.test.ts.
t.test('an order and the undo of an import at the same time', ofOneServer, async (t) => {
  const app = await testApp(t)
  const w = await world(app)
  const { clerk, nurse, buyer } = w
  const listed = async (item: string) => {
    await clerk.create(`${api}/white-list`, { buyer, item })
    return item
  }
  const urlOf = (id: string) => `${new URL(w.monitor).origin}${api}/catalogue-item/${id}`
  /** A new catalogue of one listed item. */
  const fresh = async () => {
    const made = await imported(clerk, { Devices: devices('X') })
    const [{ id }] = await itemsOf(clerk, made.catalogue)
    return {
      id: made.import as string,
      itemId: id as string,
      item: await listed(urlOf(id)),
      url: made.catalogue
    }
  }
  const order = (item: string): [string, () => Promise<ApiResponse>][] => [
    [
      'a new order',
      () => nurse.post(`${orders}/order`, w.draft({ orderLines: [{ item, action: 'DELIVER' }] }))
    ],
    [
      'a new line',
      async () =>
        nurse.post(`${orders}/order-line`, { order: await w.createDraft(), item, action: 'DELIVER' })
    ],
    [
      'a changed line',
      async () => {
        const line = await w.addLine(await w.createDraft())
        return nurse.patch(pathOf(line), [{ op: 'replace', path: '/item', value: item }])
      }
    ]
  ]
  const linesOf = async (itemId: string) =>
    (await app.sql`select from order_lines where item_id = ${itemId}`).length
  /** Waits until a statement waits for a lock. */
  const blocked = async () => {
    while ((await countWaiting(app.sql)) === 0) await pause(5)
  }

  for (const which of [0, 1, 2])
    t.test(`${order('')[which]?.[0]} that comes during the undo is decided after it`, async (t) => {
      const { id, item, itemId } = await fresh()
      let undone: Promise<ApiResponse> | undefined
      let ordered: Promise<ApiResponse> | undefined
      await app.sql.begin(async (tx) => {
        // The undo has then looked for orders, and written all but its entry.
        await tx`lock table catalogue_imports in share mode`
        undone = undo(clerk, id)
        await blocked()
        ordered = order(item)[which]?.[1]()
        const first = await Promise.race([ordered, pause(300).then(() => 'waits')])
        t.equal(first, 'waits')
      })
      t.equal((await undone)?.status, 200)
      t.equal(outcome((await ordered) as ApiResponse).slice(0, 22), '422 catalogue-not-acti')
      t.equal(await linesOf(itemId), 0)
    })

  t.test('an order that was decided before the undo is decided again', async (t) => {
    const { id, item, itemId } = await fresh()
    const { clinical } = app.app
    const assertExists = clinical.assertExists
    t.teardown(() => Object.assign(clinical, { assertExists }))
    let isUndone = false
    Object.assign(clinical, {
      // The last step before the order is written.
      async assertExists() {
        if (isUndone) return
        isUndone = true
        t.equal((await undo(clerk, id)).status, 200)
      }
    })
    t.match(outcome((await order(item)[0]?.[1]()) as ApiResponse), /^422 /)
    t.equal(await linesOf(itemId), 0)
  })

  t.test('a submission of a changed item that was decided before the undo is decided again', async (t) => {
    const { item, itemId, url } = await fresh()
    const draft = await w.createDraft()
    await w.addLine(draft, { item })
    const path = pathOf(item)
    await clerk.put(path, { ...(await clerk.get(path, 200)).body, status: 'DISCONTINUED' }, 204)
    const made = await imported(clerk, { Devices: [rowFor.Devices('X', { Status: 'AVAILABLE' })] }, url)
    let submitted: Promise<ApiResponse> | undefined
    await app.sql.begin(async (tx) => {
      await tx`select from orders where id = ${draft.split('/').at(-1) ?? ''} for update`
      // Decided, and not saved while the order is locked.
      submitted = nurse.patch(pathOf(draft), moveTo('SUBMITTED'))
      await pause(200)
      t.equal((await undo(clerk, made.import)).status, 200)
    })
    t.equal(outcome((await submitted) as ApiResponse).slice(0, 22), '422 item-not-available')
    const [line] = await app.sql`select status from order_lines where item_id = ${itemId}`
    t.equal(line?.status, 'UNFULFILLED')
  })

  t.test('an undo waits for an order that is being saved, and is refused', async (t) => {
    const { id, itemId } = await fresh()
    const draft = (await w.createDraft()).split('/').at(-1) ?? ''
    let undone: Promise<ApiResponse> | undefined
    await app.sql.begin(async (tx) => {
      await tx`insert into order_lines (id, order_id, item_id, status, action, created_at)
        values (${draft}, ${draft}, ${itemId}, 'UNFULFILLED', 'DELIVER', now())`
      undone = undo(clerk, id)
      t.equal(await Promise.race([undone, pause(200).then(() => 'waits')]), 'waits')
    })
    t.same(obstaclesOf((await undone) as ApiResponse), ['ordered'])
  })

  t.test('never both take effect', async (t) => {
    for (let round = 0; round < 12; round++) {
      const { id, item, itemId } = await fresh()
      const draft = await w.createDraft()
      const line = () => nurse.post(`${orders}/order-line`, { order: draft, item, action: 'DELIVER' })
      const [undone, added] = await Promise.all(
        round % 2 ? [undo(clerk, id), line()] : [line(), undo(clerk, id)].reverse()
      )
      const statuses = [undone, added].map((each) => each?.status).sort()
      t.same(
        [
          [200, 422],
          [201, 409]
        ].filter((pair) => pair.join() === statuses.join()).length,
        1,
        statuses.join()
      )
      t.equal(await linesOf(itemId), statuses[0] === 201 ? 1 : 0)
    }
  })

  t.test('of two undos of one import one takes effect', async (t) => {
    const { id, url } = await fresh()
    const both = await Promise.all([undo(clerk, id), undo(clerk, id)])
    t.same(both.map(({ status }) => status).sort(), [200, 409])
    t.equal((await historyOf(clerk, url)).length, 2)
  })
})

t.test('an undo that is cut off takes effect as a whole or not at all', ofOneServer, async (t) => {
  let proxy: DatabaseProxy | undefined
  const app = await testApp(t, {}, async (url) => {
    proxy = await databaseProxy(url)
    return proxy.url
  })
  t.teardown(() => proxy?.close())
  const { clerk } = await world(app)
  const { catalogue: url } = await imported(clerk, { Devices: devices('A', 'B') })
  const state = async () => {
    const rows = [...(await rowsIn(app.sql))].sort()
    const history = await app.sql`select id, undoes from catalogue_imports order by recorded_at`
    return JSON.stringify([rows, history, await app.sql`select count(*) from events`])
  }

  for (const point of ['before', 'after'] as const)
    t.test(`${point} its commit`, async (t) => {
      const made = await imported(
        clerk,
        { Devices: [...devices(`C ${point}`), rowFor.Devices('A', { Name: point })] },
        url
      )
      const before = await state()
      proxy?.cut(point, committing, false)
      const response = await undo(clerk, made.import)
      t.ok(proxy?.restore())
      t.equal(outcome(response), '503 outcome-unknown')
      const isUndone = (await state()) !== before
      t.equal(isUndone, point === 'after')
      const again = await undo(clerk, made.import)
      t.equal(outcome(again), isUndone ? '409 import-not-undoable' : '200')
    })

  t.test('while it writes', async (t) => {
    const made = await imported(
      clerk,
      { Devices: [...devices('D'), rowFor.Devices('A', { Name: 'last' })] },
      url
    )
    const before = await state()
    let undone: Promise<ApiResponse> | undefined
    await app.sql.begin(async (tx) => {
      await tx`lock table catalogue_imports in share mode`
      undone = undo(clerk, made.import)
      while ((await countWaiting(app.sql)) === 0) await pause(5)
      await app.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      t.equal(((await undone) as ApiResponse).status, 503)
    })
    t.equal(await state(), before)
    t.equal((await undo(clerk, made.import)).status, 200)
  })
})
