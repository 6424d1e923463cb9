import postgres, { type Sql } from 'postgres'
import t from 'tap'
import { partitionOrders } from '../../scripts/test/partition-orders.js'
import { cloneDatabase, testApp } from '../fixtures/app.js'
import { genericPlanOf, recordStatements, type Sent } from '../fixtures/sent-statements.js'
import { moveTo, orders, pathOf, world } from '../fixtures/world.js'

/*
 * On a cluster the tables of orders are distributed by the order's id. Partitions stand in for its
 * nodes: a statement about one order must reach one partition of each table.
 */

const FAMILY = /\b(orders|order_lines|trace_lines)\b/

/** Finds the order of a line or a trace line, before the statement about that order. */
const LOOK_UP = /^select order_id from (order_lines|trace_lines) where id = \$1$/

/** The partitions that the generic plan of a statement reads or updates. */
async function partitionsOf(sql: Sql, statement: Sent): Promise<string[]> {
  const plan = await genericPlanOf(sql, statement)
  const names = JSON.stringify(plan).matchAll(/"Relation Name":\s*"((?:orders|order_lines|trace_lines)_\d)"/g)
  return [...new Set([...names].map(([, name = '']) => name))].sort()
}

const options = { skip: process.env.TEST_CLUSTER === 'true' && 'a cluster distributes the tables itself' }
t.test('each statement about one order reaches one partition of each table', options, async (t) => {
  const url = await cloneDatabase(t)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  t.teardown(() => sql.end())
  if (process.env.TEST_PARTITIONED !== 'true') await partitionOrders(sql)
  const test = await testApp(t, {}, async () => url)
  test.app.isDistributed = true
  const w = await world({ ...test, sql, databaseUrl: url })
  const sent = recordStatements(test.app)

  const order = await w.createDraft()
  const line = await w.addLine(order)
  await w.nurse.patch(pathOf(line), [{ op: 'replace', path: '/action', value: 'RETURN' }])
  await w.nurse.patch(pathOf(order), [{ op: 'replace', path: '/name', value: 'Another name' }], 204)
  await w.nurse.patch(pathOf(order), [{ op: 'add', path: '/notes/-', value: { note: 'a note' } }], 204)
  await w.nurse.patch(pathOf(order), moveTo('SUBMITTED'), 204)
  await w.provider.patch(pathOf(order), moveTo('ACCEPTED'), 204)
  await w.provider.patch(pathOf(line), moveTo('FULFILLED'), 204)
  const { body: trace } = await w.nurse.get(`${orders}/trace-lines?order=${encodeURIComponent(order)}`, 200)
  await w.nurse.get(`${orders}/trace-lines?orderLine=${encodeURIComponent(line)}`, 200)
  await w.nurse.get(`${orders}/order-lines?order=${encodeURIComponent(order)}`, 200)
  await w.nurse.get(`${orders}/trace-line/${trace[0].id}`, 200)
  for (const path of [pathOf(order), `${pathOf(order)}/details`, pathOf(line)]) {
    await w.provider.get(path, 200)
    await w.otherNurse.get(path, 404)
  }
  const draft = await w.createDraft()
  await w.nurse.delete(pathOf(await w.addLine(draft)), 204)
  await w.nurse.delete(pathOf(draft), 204)

  const statements = new Map(
    sent
      .filter(({ text }) => FAMILY.test(text) && !LOOK_UP.test(text.trim()))
      .map((each) => [each.text, each])
  )
  t.ok(statements.size > 12, `${statements.size} statements`)
  for (const each of statements.values()) {
    const partitions = await partitionsOf(sql, each)
    const tables = partitions.map((name) => name.replace(/_\d$/, ''))
    t.same(
      tables,
      [...new Set(tables)],
      `${partitions.join(' ') || 'none'}: ${each.text.trim().slice(0, 200)}`
    )
  }
  const all = await partitionsOf(sql, {
    text: 'select from order_lines where id = $1::uuid',
    parameters: [null]
  })
  t.equal(all.length, 8, 'a statement without its order reaches all')
})
