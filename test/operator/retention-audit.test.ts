import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { putRow } from '../fixtures/audit/rows.js'
import { operate, skip, startOperator } from '../fixtures/operator.js'

t.test('months of the audit record are removed when they are older than asked', { skip }, async (t) => {
  const { sql, databaseUrl } = await testApp(t)
  const now = new Date()
  const monthOf = (ago: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 10)
  const nameOf = (ago: number) => `audit_events_${monthOf(ago).slice(0, 7).replace('-', '_')}`
  // The first partition of a new database also has all earlier months.
  await sql.unsafe(`alter table audit_events detach partition ${nameOf(0)}`)
  await sql.unsafe(
    `alter table audit_events attach partition ${nameOf(0)} for values from ('${monthOf(0)}') to ('${monthOf(-1)}')`
  )
  const months = [6, 5, 4, 3, 2]
  for (const ago of months) {
    await sql.unsafe(
      `create table ${nameOf(ago)} partition of audit_events for values from ('${monthOf(ago)}') to ('${monthOf(ago - 1)}')`
    )
    await putRow(sql, { recorded: new Date(`${monthOf(ago)}T12:00:00Z`) })
  }
  const tables = async () =>
    (
      await sql`select relname as name from pg_class where relname ~ '^audit_events_\\d{4}_\\d\\d$' order by 1`
    ).map(({ name }) => name)
  const left = async () => months.filter((ago) => present.includes(nameOf(ago)))
  let present = await tables()
  const run = (keep: number, ...more: string[]) =>
    operate(databaseUrl, ['retention', 'audit', '--months', String(keep), ...more])
  const operatorRows = () =>
    sql`select operation, request_id, cardinality(patients) as patients from audit_events where user_type = 'Operator' order by id`

  t.test('a dry run counts their records', async (t) => {
    const { code, output } = await run(4)
    t.equal(code, 0)
    t.equal(
      output,
      `${nameOf(6)}: 1 records\n${nameOf(5)}: 1 records\nWould remove 2 months. Nothing was removed: repeat it with --confirm.\n`,
      'the month that ended less than four months ago stays'
    )
    t.same(await tables(), present)
    t.match(await operatorRows(), [{ operation: 'previewAuditRetention' }])
  })

  t.test('each month has an audit record of its removal', async (t) => {
    t.match(await run(4, '--confirm'), {
      code: 0,
      output: `Removed: ${nameOf(6)}\nRemoved: ${nameOf(5)}\nRemoved 2 months.\n`
    })
    present = await tables()
    t.same(await left(), [4, 3, 2])
    t.match((await operatorRows()).slice(1), [
      { operation: 'removeAuditMonth', request_id: nameOf(6), patients: 0 },
      { operation: 'removeAuditMonth', request_id: nameOf(5), patients: 0 }
    ])
  })

  t.test('a removal that was ended is finished by the next run', async (t) => {
    await sql.begin(async (tx) => {
      await tx`select count(*) from audit_events`
      const ended = startOperator(databaseUrl, ['retention', 'audit', '--months', '3', '--confirm'])
      const waiting = () => sql`select pid from pg_stat_activity
        where datname = current_database() and query ~ 'detach' and wait_event_type = 'Lock'`
      while ((await waiting()).length === 0) await pause(10)
      ended.kill('SIGKILL')
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ~ 'detach' and wait_event_type = 'Lock'`
      while ((await waiting()).length > 0) await pause(10)
    })
    const pending = () => sql`select from pg_inherits where inhdetachpending`
    t.equal((await pending()).length, 1, 'PostgreSQL has begun to detach the month')
    t.match(await run(3, '--confirm'), { code: 0, output: `Removed: ${nameOf(4)}\nRemoved 1 month.\n` })
    await sql.unsafe(`alter table audit_events detach partition ${nameOf(3)}`)
    t.match(await run(2, '--confirm'), { code: 0, output: `Removed: ${nameOf(3)}\nRemoved 1 month.\n` })
    present = await tables()
    t.same(await left(), [2])
    t.equal((await pending()).length, 0)
  })

  t.test('this month and later ones stay', async (t) => {
    await run(1, '--confirm')
    t.same(await tables(), [0, -1, -2, -3].map(nameOf))
  })
})
