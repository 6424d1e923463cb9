import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Sql } from 'postgres'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { MAIN_PROGRAM } from '../fixtures/compiled.js'
import { operate, plantMonths, plantOrder } from '../fixtures/operator.js'
import { limitStatements, skipPgBouncer as poolerSkip, startPgBouncer } from '../fixtures/pgbouncer.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'
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
  t.match(await run(['retention']), { code: 2, output: '', errors: /^Usage: node dist.*, check \(.*\)\n$/ })
  t.match(await run(['patient', 'erase', '-'], `${p}\n`), {
    code: 0,
    output: /^Would erase the patient from 1 order .*--confirm to erase the patient\.\n$/s,
    errors: ''
  })
})

t.test('without DATABASE_URL a command uses the embedded database that runs, in devtest only', async (t) => {
  const env = { DATA_DIR: temporaryFolder(t) }
  const server = await startServer(t, env)
  const check = async (more: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [MAIN_PROGRAM, 'operator', 'check'], { env: { ...env, ...more } })
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close')
    ])
    return { code, output, errors }
  }
  await server.ready()
  t.match(await check(), {
    code: 0,
    output: /\S/,
    errors: `DATABASE_URL is not set. The command uses the embedded PostgreSQL on ${env.DATA_DIR}.\n`
  })
  t.match(await check({ ENVIRONMENT: 'prod' }), {
    code: 1,
    output: '',
    errors: /^Set DATABASE_URL to the database, as for the service\.\n$/
  })
  await server.stop()
  t.match(await check(), { code: 1, output: '', errors: /No embedded PostgreSQL runs on/ })
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

t.test('a killed removal of months is completed by the next run', async (t) => {
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
