import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { backdate, operate, plantOrder, secret, skip } from '../fixtures/operator.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { asServerRole } from '../fixtures/server-role.js'
import { orders, pathOf, patient, world } from '../fixtures/world.js'

const p = patient('old')
const command = ['retention', 'orders', '--closed-months', '12']

t.test('orders closed long ago are removed with all that belongs to them', { skip }, async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const w = await world(app)
  const [old, recent, open] = [
    await plantOrder(w, p),
    await plantOrder(w, p),
    await plantOrder(w, p, { isOpen: true })
  ]
  const draft = await w.createDraft()
  await w.nurse.delete(pathOf(draft), 204)
  await sql`update orders set deleted_at = now() - interval '13 months' where id = ${idOf(draft)}`
  await backdate(sql, 13, idOf(old))
  await backdate(sql, 11, idOf(recent))
  await backdate(sql, 13, idOf(open))
  const rows = async (table: string) =>
    (
      await sql.unsafe(
        `select distinct ${table === 'orders' ? 'id' : 'order_id'} as id from ${table} order by 1`
      )
    ).map(({ id }) => id)
  const kept = [recent, open].map(idOf).sort()

  const preview = await operate(databaseUrl, command)
  t.match(preview, {
    code: 0,
    output: /^Would remove 2 orders with 1 line and 6 trace lines\. Nothing was removed/
  })
  t.equal((await rows('orders')).length, 4)

  t.match(await operate(databaseUrl, [...command, '--confirm']), { code: 0, output: 'Removed 2 orders.\n' })
  t.same(await rows('orders'), kept)
  t.same(await rows('order_lines'), kept)
  t.same(await rows('trace_lines'), kept)
  t.match(await operate(databaseUrl, [...command, '--confirm']), { code: 0, output: 'Removed 0 orders.\n' })

  const [record] =
    await sql`select user_type, orders, patients from audit_events where operation = 'removeOldOrders'`
  t.equal(record?.user_type, 'Operator')
  t.same(record?.orders, [old, draft].map(idOf), 'the record names the removed orders')
  t.notMatch(JSON.stringify(record), Buffer.from(p).toString('hex'), 'and patients by their hashes')
  t.equal((await sql`select from audit_events where operation = 'previewOrderRetention'`).length, 1)
  const [list] = [await w.nurse.get(`${orders}/order`, 200)]
  t.same(list.body.map(({ id }: { id: string }) => id).sort(), kept, 'the API serves the others')
})

t.test('the serving role, and wrong arguments, are refused', { skip }, async (t) => {
  const { databaseUrl, sql } = await testApp(t)
  for (const args of [
    command,
    [...command, '--confirm'],
    ['retention', 'audit', '--months', '1', '--confirm']
  ]) {
    const { code, output } = await operate(asServerRole(databaseUrl), args)
    t.equal(code, 1)
    t.match(
      output,
      /^The role \w+ may not do this\. Set DATABASE_URL to the owner of the tables, the role \w+\.\n$/
    )
  }
  t.equal((await sql`select from audit_events where user_type = 'Operator'`).length, 0)
  for (const [args, wanted] of [
    [['retention', 'orders'], /^Usage/],
    [['retention', 'orders', '--closed-months'], /^Usage/],
    [
      ['retention', 'orders', '--closed-months', '0'],
      /^--closed-months must be a whole number from 1 to 1200/
    ],
    [['retention', 'orders', '--closed-months', '1.5'], /whole number/],
    [['retention', 'audit', '--months', '-1'], /^Usage/],
    [['retention', 'patients', '--months', '1'], /^Usage/],
    [['patient', 'erase', secret, '--sure'], /^Usage(?!.*Zaphod)/s],
    [['patient', 'toString'], /^Usage/]
  ] as const) {
    const { code, output } = await operate(databaseUrl, args)
    t.equal(code, 1, args.join(' '))
    t.match(output, wanted)
  }
  t.match(await operate('', [...command]), { code: 1, output: /^Set DATABASE_URL/ })
})
