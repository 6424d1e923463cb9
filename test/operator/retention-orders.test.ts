import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { backdate, operate, plantOrder, secret, skip, startOperator } from '../fixtures/operator.js'
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
  await backdate(sql, idOf(old), 13)
  await backdate(sql, idOf(recent), 11)
  await backdate(sql, idOf(open), 13)
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

t.test('a run that is killed leaves whole orders, and the next one finishes', { skip }, async (t) => {
  const { sql, databaseUrl, ...app } = await testApp(t)
  const w = await world({ sql, databaseUrl, ...app })
  const first = await plantOrder(w, p)
  // More than one batch: copies of the order, all closed long ago.
  await sql.begin(async (tx) => {
    await tx`alter table trace_lines disable trigger user`
    await tx`create temp table copies on commit drop as
      select gen_random_uuid() as id from generate_series(1, 450)`
    const columns = async (table: string) =>
      (
        await tx`select column_name as name from information_schema.columns
          where table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`
      ).map(({ name }) => name as string)
    for (const [table, key] of [
      ['orders', 'id'],
      ['order_lines', 'order_id'],
      ['trace_lines', 'order_id']
    ] as const) {
      const names = await columns(table)
      const values = names.map((name) => (name === key ? 'copies.id' : `r.${name}`))
      await tx.unsafe(
        `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${table} r, copies where r.${key} = '${idOf(first)}'`
      )
    }
    await tx`update trace_lines set timestamp = timestamp - interval '2 years'`
    await tx`alter table trace_lines enable trigger user`
  })
  // The run waits for this lock of a later batch, and is killed there.
  let killed: ReturnType<typeof startOperator> | undefined
  await sql.begin(async (tx) => {
    await tx`select from orders where id = (select id from orders order by id desc limit 1) for update`
    killed = startOperator(databaseUrl, [...command, '--confirm'])
    const waiting = () => sql`select pid from pg_stat_activity
      where datname = current_database() and query like '%for update%' and wait_event_type = 'Lock'`
    while ((await waiting()).length === 0) await pause(10)
    killed.kill('SIGKILL')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%for update%' and wait_event_type = 'Lock'`
  })
  const counts = async () => {
    const [row] = await sql`select
      (select count(*)::int from orders) as orders,
      (select count(distinct order_id)::int from order_lines) as with_lines,
      (select count(distinct order_id)::int from trace_lines) as with_traces,
      (select coalesce(sum(cardinality(orders)), 0)::int from audit_events where operation = 'removeOldOrders') as recorded`
    return row
  }
  t.same(await counts(), { orders: 51, with_lines: 51, with_traces: 51, recorded: 400 })
  t.match(await operate(databaseUrl, [...command, '--confirm']), { code: 0, output: 'Removed 51 orders.\n' })
  t.same(await counts(), { orders: 0, with_lines: 0, with_traces: 0, recorded: 451 })
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
