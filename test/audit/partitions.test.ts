import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import t from 'tap'
import { makePartitions } from '../../src/audit/prepare-partitions.js'
import { testApp } from '../fixtures/app.js'
import { putRow } from '../fixtures/audit/rows.js'
import { until } from '../fixtures/waiting.js'

t.test('a server that is ready has made missing partitions', async (t) => {
  const now = new Date()
  const ahead = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 3)).toISOString()
  const name = `audit_events_${ahead.slice(0, 7).replace('-', '_')}`
  const { databaseUrl, sql } = await testApp(t)
  await sql.unsafe(`drop table ${name}`)
  const { app } = await testApp(t, {}, async () => databaseUrl)
  await app.ready()
  const [found] = await sql`select to_regclass(${name}) is not null as exists`
  t.equal(found?.exists, true)
})

t.test('partitions of audit events', async (t) => {
  const { app, sql, databaseUrl } = await testApp(t)
  const partitions = async (table = 'audit_events') =>
    (
      await sql`
        select inhrelid::regclass::text as name, pg_get_expr(relpartbound, oid) as bound
        from pg_inherits join pg_class on oid = inhrelid where inhparent = ${table}::text::regclass order by 1`
    ).map(({ name, bound }) => [name, bound])
  const now = new Date()
  const monthOf = (ahead: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7)
  const nameOf = (ahead: number, table = 'audit_events') => `${table}_${monthOf(ahead).replace('-', '_')}`

  t.test('exist for this month and the next three months', async (t) => {
    t.same(
      (await partitions()).map(([name]) => name).slice(-3),
      [1, 2, 3].map((ahead) => nameOf(ahead))
    )
    t.equal((await partitions()).length, 4, 'earlier months share the first one')
  })

  t.test('are created again if missing, also those of events, in any time zone', async (t) => {
    const found = async () => [await partitions(), await partitions('events')]
    const before = await found()
    const dropLast = `drop table ${nameOf(3)}, ${nameOf(3, 'events')}`
    await sql.unsafe(dropLast)
    await Promise.all([makePartitions(app.db), makePartitions(app.db)])
    t.same(await found(), before)
    await sql.begin(async (tx) => {
      await tx`set local timezone = 'Asia/Tokyo'`
      await tx.unsafe(dropLast)
      await tx`select prepare_audit_partitions(), prepare_event_partitions()`
    })
    t.same(await found(), before)
  })

  t.test('rows at the borders of a month are found in their partition', async (t) => {
    const month = `${monthOf(2)}-01T00:00:00`
    for (const [time, table] of [
      [new Date(Date.parse(`${month}Z`) - 1), nameOf(1)],
      [new Date(`${month}Z`), nameOf(2)]
    ] as const) {
      const id = await putRow(sql, { recorded: time })
      const [row] = await sql`select tableoid::regclass::text as table from audit_events where id = ${id}`
      t.equal(row?.table, table)
    }
  })

  t.test('a month is removed while other sessions read and write', async (t) => {
    const oldest = (await partitions())[0]?.[0]
    const observer = postgres(databaseUrl, { max: 1 })
    t.teardown(() => observer.end())
    const waiting = () => observer`
      select from pg_stat_activity
      where datname = current_database() and query ~ 'detach' and wait_event_type = 'Lock'`
    let removal: Promise<unknown> | undefined
    await sql.begin(async (tx) => {
      await tx`select count(*) from audit_events`
      await tx`insert into audit_events select (jsonb_populate_record(r, ${tx.json({ id: randomUUID() })})).* from audit_events r limit 1`
      removal = sql.unsafe(`alter table audit_events detach partition ${oldest} concurrently`).execute()
      await until(async () => (await waiting()).length > 0)
      // The removal waits for this transaction. No other session waits for the removal.
      await app.db.$client.unsafe('select count(*) from audit_events')
      await app.db.$client.unsafe(
        "insert into audit_events select gen_random_uuid(), now() + interval '2 months', 'r', 'o', 'read', null, 'u', null, null, '{}', '{}'"
      )
    })
    await removal
    await sql.unsafe(`drop table ${oldest}`)
    t.equal((await partitions()).length, 3)
    const [{ count } = { count: 0 }] = await sql`select count(*)::int as count from audit_events`
    t.ok(count > 0, 'other months stay')
    await makePartitions(app.db)
    t.equal((await partitions()).length, 4, 'a removed month is made again only while it is the present one')
  })
})
