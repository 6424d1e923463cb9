import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Sql } from 'postgres'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { MAIN_PROGRAM } from '../fixtures/compiled.js'
import { backdate, operate, plantMonths, plantOrder } from '../fixtures/operator.js'
import { limitStatements, skip as poolerSkip, startPgBouncer } from '../fixtures/pgbouncer.js'
import { idOf } from '../fixtures/routes/addresses.js'
import { temporaryFolder } from '../fixtures/server.js'
import { until } from '../fixtures/waiting.js'
import { patient, world } from '../fixtures/world.js'

const p = patient('old')

/** Starts a command of the built program. */
const startOperator = (databaseUrl: string, args: readonly string[]) =>
  spawn(process.execPath, [MAIN_PROGRAM, 'operator', ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl }
  })

t.test('the built program runs a command and ends with its exit code', async (t) => {
  const app = await testApp(t)
  await plantOrder(await world(app), p)
  const run = async (args: readonly string[], input = '') => {
    const child = startOperator(app.databaseUrl, args)
    child.stdin.end(input)
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close')
    ])
    return { code, output, errors }
  }
  t.match(await run(['retention']), { code: 1, output: '', errors: /^Usage: node dist.*audit record\.\n$/s })
  t.match(await run(['patient', 'erase', '-'], `${p}\n`), {
    code: 0,
    output: /^Would erase the patient from 1 order .*--confirm to erase it\.\n$/s,
    errors: ''
  })
})

/** Kills a command, and its connection, when a statement of it waits for a lock. */
async function killAtLock(sql: Sql, command: ReturnType<typeof startOperator>, statement: string) {
  const waiting = sql`from pg_stat_activity
    where datname = current_database() and strpos(query, ${statement}) > 0 and wait_event_type = 'Lock'`
  await until(async () => (await sql`select ${waiting}`).length > 0)
  command.kill('SIGKILL')
  await sql`select pg_terminate_backend(pid) ${waiting}`
  await until(async () => (await sql`select ${waiting}`).length === 0)
}

t.test('a removal of orders that is killed leaves whole orders', async (t) => {
  const app = await testApp(t)
  const { sql, databaseUrl } = app
  const command = ['retention', 'orders', '--closed-months', '12', '--confirm']
  const order = idOf(await plantOrder(await world(app), p))
  await sql`update devices set used_until = now(), end_reason = 'RETURNED'`
  await copyOrder(sql, order, 450)
  await backdate(sql, 24)
  const counts = async () => {
    const [row] = await sql`select
      (select count(*)::int from orders) as orders,
      (select count(distinct order_id)::int from order_lines) as with_lines,
      (select count(distinct order_id)::int from trace_lines) as with_traces,
      (select coalesce(sum(cardinality(orders)), 0)::int from audit_events where operation = 'removeOldOrders') as recorded`
    return row
  }
  await sql.begin(async (tx) => {
    // In the third batch.
    await tx`select from orders where id = (select id from orders order by id desc limit 1) for update`
    await killAtLock(sql, startOperator(databaseUrl, command), 'for update')
  })
  t.same(await counts(), { orders: 51, with_lines: 51, with_traces: 51, recorded: 400 })

  t.same(await operate(databaseUrl, command), { code: 0, output: 'Removed 51 orders.\n' })
  t.same(await counts(), { orders: 0, with_lines: 0, with_traces: 0, recorded: 451 })
})

/** Adds copies of an order, with its lines and trace. */
const copyOrder = (sql: Sql, order: string, count: number) =>
  sql.begin(async (tx) => {
    await tx`alter table trace_lines disable trigger user`
    await tx`create temp table copies on commit drop as
      select gen_random_uuid() as id from generate_series(1, ${count})`
    for (const [table, key] of [
      ['orders', 'id'],
      ['order_lines', 'order_id'],
      ['trace_lines', 'order_id']
    ] as const) {
      const columns = await tx`select column_name as name from information_schema.columns
        where table_name = ${table} and is_generated = 'NEVER' and column_name <> 'number' order by ordinal_position`
      const names = columns.map(({ name }) => name)
      const copyOf = (name: string) => `md5(copies.id::text || r.${name})::uuid`
      const values = names.map((name) =>
        name === key ? 'copies.id' : ['id', 'order_line_id'].includes(name) ? copyOf(name) : `r.${name}`
      )
      await tx.unsafe(
        `insert into ${table} (${names}) select ${values} from ${table} r, copies where r.${key} = '${order}'`
      )
    }
    await tx`alter table trace_lines enable trigger user`
  })

t.test('a removal of months that is killed is finished by the next run', async (t) => {
  const { sql, databaseUrl } = await testApp(t)
  const { nameOf, names } = await plantMonths(sql, 'audit_events', [3, 2])
  const command = ['retention', 'audit', '--months', '2', '--confirm']
  const pending = () => sql`select from pg_inherits where inhdetachpending`
  await sql.begin(async (tx) => {
    await tx`select count(*) from audit_events`
    await killAtLock(sql, startOperator(databaseUrl, command), 'detach')
  })
  t.equal((await pending()).length, 1, 'PostgreSQL has begun to detach the month')

  t.same(await operate(databaseUrl, command), {
    code: 0,
    output: `Removed: ${nameOf(3)}\nRemoved 1 month.\n`
  })
  t.same(await names(), [2, 0, -1, -2, -3].map(nameOf))
  t.equal((await pending()).length, 0)
})

t.test('commands run through PgBouncer', { skip: poolerSkip }, async (t) => {
  const app = await testApp(t)
  await plantOrder(await world(app), p)
  const pooler = await startPgBouncer(app.databaseUrl)
  t.teardown(() => pooler.stop())
  await limitStatements(app.databaseUrl, 60_000)
  const env = { DATABASE_POOLER: 'transaction' }
  const url = pooler.through(app.databaseUrl)
  for (const [args, wanted] of [
    [['patient', 'export', p, '--to', join(temporaryFolder(t), 'x.json')], /^orders: 1\n/],
    [['patient', 'erase', p, '--confirm'], /^Erased the patient from 1 order/],
    [['retention', 'audit', '--months', '1', '--confirm'], /^Removed 0 months/],
    [['retention', 'orders', '--closed-months', '1', '--confirm'], /^Removed 0 orders/]
  ] as const)
    t.match(await operate(url, args, { env }), { code: 0, output: wanted }, args.slice(0, 2).join(' '))
})
