import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { outcome } from '../fixtures/routes/refusal.js'
import { countWaiting, until } from '../fixtures/waiting.js'
import { orders, pathOf, transitionTo } from '../fixtures/world.js'

/** Concurrent callers share statements; each must get its own rows and its own outcome. */
t.test('concurrent callers', async (t) => {
  const { app, w } = await testWorld(t)
  const { nurse, provider, otherNurse, otherProvider, createDraft, submitted } = w

  t.test('each caller of a batch sees only its own orders', async (t) => {
    const { order, lines } = await submitted()
    const draft = await createDraft()
    const foreign = await otherNurse.create(`${orders}/order`, w.draft({ buyer: w.otherBuyer }))
    const [line = ''] = lines
    const reads = [
      ['the buyer, its order', nurse, order, 200],
      ['the buyer, its draft', nurse, draft, 200],
      ['the buyer, a foreign order', nurse, foreign, 404],
      ['the buyer, its line', nurse, line, 200],
      ['the seller, an order', provider, order, 200],
      ['the seller, a draft', provider, draft, 404],
      ['the seller, a line', provider, line, 200],
      ['another buyer, an order', otherNurse, order, 404],
      ['another buyer, a draft', otherNurse, draft, 404],
      ['another buyer, its own', otherNurse, foreign, 200],
      ['another buyer, a line', otherNurse, line, 404],
      ['another seller, an order', otherProvider, order, 404],
      ['another seller, a line', otherProvider, line, 404]
    ] as const
    const forms = ['', '/details', '/details?form=flat']
    const asks = reads.flatMap(([what, caller, url, status]) =>
      forms
        .filter((form) => form === '' || url !== line)
        .map((form) => ({ what: `${what}${form}`, caller, url, address: `${pathOf(url)}${form}`, status }))
    )
    for (let round = 0; round < 5; round++) {
      const asked = [...asks, ...asks].sort(() => Math.random() - 0.5)
      const responses = await Promise.all(asked.map(({ caller, address }) => caller.get(address)))
      for (const [at, { what, url, status }] of asked.entries()) {
        const response = responses[at]
        t.equal(response?.status, status, what)
        if (status === 200) t.equal(response?.body.order?.id ?? response?.body.id, idOf(url), what)
      }
    }
  })

  t.test('each change of a batch succeeds or fails independently', async (t) => {
    const all = await Promise.all(Array.from({ length: 12 }, () => submitted(2)))
    for (const { order } of all.filter((_, at) => at % 3 === 0))
      await nurse.patch(pathOf(order), transitionTo('CANCELLED'), 204)
    const responses = await Promise.all(
      all.map(({ order }, at) =>
        (at % 4 === 1 ? otherProvider : provider).patch(pathOf(order), transitionTo('FULFILLED'))
      )
    )
    const expected = all.map((_, at) =>
      at % 4 === 1 ? '404 not-found' : at % 3 === 0 ? '409 illegal-transition' : '204'
    )
    t.same(responses.map(outcome), expected)
    const ids = all.map(({ order }) => idOf(order))
    const commits = await app.sql`select distinct xmin::text from trace_lines
      where order_id = any(${ids}) and new_status = 'FULFILLED' and order_line_id is null`
    const moved = expected.filter((each) => each === '204').length
    t.ok(commits.length < moved, `${commits.length} commits for ${moved} changes`)
    for (const [at, { order, lines }] of all.entries()) {
      const { body } = await nurse.get(`${pathOf(order)}/details`, 200)
      const code = at % 3 === 0 ? 'CANCELLED' : expected[at] === '204' ? 'FULFILLED' : 'SUBMITTED'
      t.equal(body.order.status.code, code)
      t.same(
        body.orderLines.map((line: { id: string; status: { code: string } }) => [line.id, line.status.code]),
        lines.map((line) => [idOf(line), code])
      )
      const records = await app.sql`select problem from audit_events
        where ${idOf(order)}::uuid = any(orders) and operation = 'patchOrder' and user_type = 'Provider'`
      t.same([...records], [{ problem: expected[at] === '204' ? null : expected[at]?.slice(4) }])
    }
  })

  t.test('an item that is being changed does not block orders it is added to', async (t) => {
    const draft = await createDraft()
    const { body } = await w.clerk.get(pathOf(w.monitor), 200)
    const changed = await app.sql.begin(async (tx) => {
      await tx`lock table item_identifiers in exclusive mode`
      const put = w.clerk.put(pathOf(w.monitor), { ...body, description: 'changed' })
      await until(async () => (await countWaiting(app.sql)) > 0)
      await w.addLine(draft)
      return { put }
    })
    t.match(String((await changed.put).status), /^20/)
  })

  t.test('a party that is being changed can be referenced', async (t) => {
    const { body } = await w.clerk.get(pathOf(w.buyer), 200)
    const changed = await app.sql.begin(async (tx) => {
      // The lock allows reads of the row, not writes.
      await tx`lock table parties in share mode`
      const put = w.clerk.put(pathOf(w.buyer), body)
      await until(async () => (await countWaiting(app.sql)) > 0)
      await tx`select from parties where id = ${idOf(w.buyer)} for key share nowait`
      return { put }
    })
    t.match(String((await changed.put).status), /^20/)
  })
})
