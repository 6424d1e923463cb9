import t from 'tap'
import { saveBatch } from '../../src/order/store/save.js'
import type { OrderWrite } from '../../src/order/store/save-statement.js'
import { testApp } from '../fixtures/app.js'
import { plainWrite, SAVED } from '../fixtures/plain-write.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { world } from '../fixtures/world.js'

t.test('changes that share a statement', async (t) => {
  const test = await testApp(t)
  const { app, sql } = test
  const { createDraft } = await world(test)

  async function drafts(): Promise<[string, string, string]> {
    const [first, second, third] = [await createDraft(), await createDraft(), await createDraft()]
    return [idOf(first), idOf(second), idOf(third)]
  }

  const save = (write: OrderWrite, begin = () => {}) =>
    saveBatch(app.db, { write, begin }).catch(() => 'failed')

  /** Which orders have the trace line and the audit record of a change. */
  async function written(ids: readonly string[]) {
    const traces = await sql`select order_id as id from trace_lines where text = ${SAVED}`
    const records = await sql`select request_id as id from audit_events where operation = 'o'`
    const isIn = (rows: typeof traces, id: string) => rows.some((row) => row.id === id)
    return ids.map((id) => [isIn(traces, id), isIn(records, id)])
  }

  const yes = [true, true]
  const no = [false, false]

  t.test('share its commit', async (t) => {
    const ids = await drafts()
    const writes = await Promise.all(ids.map((id) => plainWrite(test, id)))
    t.same(await Promise.all(writes.map((write) => save(write))), [true, true, true])
    t.same(await written(ids), [yes, yes, yes])
    const commits = await sql`select distinct xmin::text from audit_events where request_id = any(${ids})`
    t.equal(commits.length, 1)
  })

  t.test('a change of an earlier revision writes nothing', async (t) => {
    const ids = await drafts()
    const writes = await Promise.all(ids.map((id) => plainWrite(test, id)))
    await sql`update orders set revision = revision + 1 where id = ${ids[1]}`
    t.same(await Promise.all(writes.map((write) => save(write))), [true, false, true])
    t.same(await written(ids), [yes, no, yes])
  })

  t.test('a change of a locked order writes nothing and does not wait', async (t) => {
    const ids = await drafts()
    const writes = await Promise.all(ids.map((id) => plainWrite(test, id)))
    await sql.begin(async (tx) => {
      await tx`update orders set priority = true where id = ${ids[1]}`
      t.same(await Promise.all(writes.map((write) => save(write))), [true, false, true])
    })
    t.same(await written(ids), [yes, no, yes])
  })

  t.test('a change whose deadline has passed writes nothing', async (t) => {
    const ids = await drafts()
    const late = new Date(Date.now() - 1000)
    const writes = await Promise.all(ids.map((id, at) => plainWrite(test, id, at === 1 ? late : undefined)))
    t.same(await Promise.all(writes.map((write) => save(write))), [true, false, true])
    t.same(await written(ids), [yes, no, yes])
  })

  t.test('a change whose caller has disconnected is left out', async (t) => {
    const ids = await drafts()
    const writes = await Promise.all(ids.map((id) => plainWrite(test, id)))
    const giveUp = () => {
      throw new Error('given up')
    }
    const outcomes = await Promise.all(writes.map((write, at) => save(write, at === 1 ? giveUp : undefined)))
    t.same(outcomes, [true, 'failed', true])
    t.same(await written(ids), [yes, no, yes])
  })

  t.test('a change that cannot be written is the only one that fails', async (t) => {
    const ids = await drafts()
    const writes = await Promise.all(ids.map((id) => plainWrite(test, id)))
    await sql.unsafe(
      `alter table trace_lines add constraint broken check (order_id <> '${ids[1]}') not valid`
    )
    t.same(await Promise.all(writes.map((write) => save(write))), [true, 'failed', true])
    t.same(await written(ids), [yes, no, yes])
  })
})
