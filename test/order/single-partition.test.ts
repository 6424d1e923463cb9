import t from 'tap'
import { distributedApp, FAMILY, partitionsOf, reachOnePartition } from '../fixtures/partitions.js'
import { recordStatements } from '../fixtures/sent-statements.js'
import { moveTo, orders, pathOf, world } from '../fixtures/world.js'

/** Finds the order of a line or a trace line, before the statement about that order. */
const LOOK_UP = /^select order_id from (order_lines|trace_lines) where id = \$1$/

const options = { skip: process.env.TEST_CLUSTER === 'true' && 'a cluster distributes the tables itself' }
t.test('each statement about one order reaches one partition of each table', options, async (t) => {
  const test = await distributedApp(t)
  const { sql } = test
  const w = await world(test)
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

  const statements = sent.filter(({ text }) => FAMILY.test(text) && !LOOK_UP.test(text.trim()))
  t.ok(new Set(statements.map(({ text }) => text)).size > 12, 'statements')
  await reachOnePartition(t, sql, statements)
  const all = await partitionsOf(sql, {
    text: 'select from order_lines where id = $1::uuid',
    parameters: [null]
  })
  t.equal(all.length, 8, 'a statement without its order reaches all')
})
