import t from 'tap'
import { testWorld } from '../fixtures/app.js'
import { differencesIn } from '../fixtures/copies.js'
import { operate } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { add, pathOf, transitionTo, type World } from '../fixtures/world.js'

/** Orders of each kind, by their ids. */
async function plant(w: World) {
  const draft = await w.createDraft()
  const deleted = await w.createDraft()
  const lineOfDeleted = await w.addLine(deleted)
  await w.nurse.delete(pathOf(deleted), 204)
  const { order: open, lines: openLines } = await w.submitted(2)
  const wish = [add('/latestDeliveryDate', '2026-03-29')]
  await w.nurse.patch(pathOf(open), wish, 204)
  await w.provider.patch(pathOf(openLines[1] ?? ''), transitionTo('UNFULFILLED'), 204)
  const { order: closed, lines: closedLines } = await w.submitted()
  await w.provider.patch(pathOf(closed), transitionTo('FULFILLED'), 204)
  return {
    draft: idOf(draft),
    lineOfDeleted: idOf(lineOfDeleted),
    open: idOf(open),
    openLine: idOf(openLines[0] ?? ''),
    closed: idOf(closed),
    closedLine: idOf(closedLines[0] ?? '')
  }
}

t.test('check reports each column that differs from its source', async (t) => {
  const { app, w } = await testWorld(t)
  const { draft, lineOfDeleted, open, openLine, closed, closedLine } = await plant(w)
  t.same(await differencesIn(app.sql), [])
  const party = idOf(w.account)
  const broken: [column: string, id: string, assignment: string][] = [
    ['orders.buyer_organization', draft, "buyer_organization = 'x'"],
    ['orders.seller_organization', draft, "seller_organization = 'x'"],
    ['orders.patient', draft, "patient = 'replaced'"],
    ['orders.has_returned_line', open, 'has_returned_line = false'],
    ['orders.has_returned_line', closed, 'has_returned_line = true, was_returned = true'],
    ['orders.was_returned', open, 'was_returned = false'],
    ['orders.answer_due_at', draft, 'answer_due_at = now()'],
    ['orders.delivery_due_at', draft, 'delivery_due_at = now()'],
    ['orders.delivery_due_at', open, "delivery_due_at = delivery_due_at + interval '1 hour'"],
    ['orders.answered_at', open, 'answered_at = now()'],
    ['orders.answered_at', closed, 'answered_at = null'],
    ['order_lines.buyer_organization', openLine, "buyer_organization = 'x'"],
    ['order_lines.seller_organization', openLine, "seller_organization = 'x'"],
    ['order_lines.patient', openLine, "patient = 'x'"],
    ['order_lines.submitted_at', openLine, "submitted_at = submitted_at + interval '1 hour'"],
    ['order_lines.deleted_at', lineOfDeleted, 'deleted_at = null'],
    ['order_lines.ordered_item', openLine, 'ordered_item = null'],
    ['order_lines.ordered_item', lineOfDeleted, "ordered_item = '{}'"],
    ['order_lines.closed_at', openLine, 'closed_at = now()'],
    ['order_lines.closed_at', closedLine, 'closed_at = null'],
    ['devices.buyer_id', closedLine, `buyer_id = '${party}', buyer_organization = 'o'`],
    ['devices.seller_id', closedLine, `seller_id = '${party}', seller_organization = 'o'`],
    ['devices.buyer_organization', closedLine, "buyer_organization = 'x'"],
    ['devices.seller_organization', closedLine, "seller_organization = 'x'"]
  ]
  await app.sql`update parties set organization = 'o' where id = ${party}`
  await app.sql`insert into patient_aliases values ('replaced', 'present', '{}', '{}')`
  for (const [column, id, assignment] of broken) {
    const [table = ''] = column.split('.')
    const found = app.sql.begin(async (tx) => {
      // Disables the triggers and foreign keys that keep the columns equal.
      await tx`set local session_replication_role = replica`
      const key = table === 'devices' ? 'line_id' : 'id'
      await tx.unsafe(`update ${table} set ${assignment} where ${key} = '${id}'`)
      throw Object.assign(new Error('roll back'), { differences: await differencesIn(tx) })
    })
    const { differences } = await found.catch((error) => error)
    t.same(differences, [{ column, count: 1, ids: id }], `${column}: ${assignment}`)
  }
  t.same(await differencesIn(app.sql), [])
})

t.test('check prints the first ids of each column, fails, and is recorded', async (t) => {
  const { app, w } = await testWorld(t)
  for (let at = 0; at < 21; at++) await w.createDraft()
  await app.sql`update orders set answer_due_at = now()`
  const rows = await app.sql`select id from orders order by id limit 20`
  const ids = rows.map(({ id }) => id).join(', ')
  const { code, output } = await operate(app.databaseUrl, ['check'])
  t.equal(code, 1)
  t.match(output, `orders.answer_due_at: 21 differences: ${ids}\nColumns differ from their sources.`)
  t.match(await operate(app.databaseUrl, ['check', '--confirm']), { code: 2, output: /^Usage: / })
  const records = await app.sql`
    select operation, interaction, user_type, patients, orders from audit_events where user_type = 'Operator'`
  t.match(records, [{ operation: 'checkCopies', interaction: 'read', patients: [], orders: [] }])
})
