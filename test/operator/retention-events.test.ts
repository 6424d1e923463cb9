import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { operate, skip } from '../fixtures/operator.js'

t.test('months of events are removed when they ended EVENTS_KEPT days ago', { skip }, async (t) => {
  const { sql, databaseUrl } = await testApp(t)
  const now = new Date()
  const monthOf = (ago: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 10)
  const nameOf = (ago: number) => `events_${monthOf(ago).slice(0, 7).replace('-', '_')}`
  // The first partition of a new database also has all earlier months.
  await sql.unsafe(`alter table events detach partition ${nameOf(0)}`)
  await sql.unsafe(
    `alter table events attach partition ${nameOf(0)} for values from ('${monthOf(0)}') to ('${monthOf(-1)}')`
  )
  for (const ago of [4, 3, 2, 1]) {
    await sql.unsafe(
      `create table ${nameOf(ago)} partition of events for values from ('${monthOf(ago)}') to ('${monthOf(ago - 1)}')`
    )
    await sql`insert into events (time, id, type, change, subject_id, owner_id, sequence, is_of_draft)
      select ${`${monthOf(ago)}T12:00:00Z`}::timestamptz, id, 'party.changed', 'created', id, id, 1, false
      from (select gen_random_uuid() as id) made`
  }
  const tables = async () =>
    (await sql`select relname as name from pg_class where relname ~ '^events_\\d{4}_\\d\\d$' order by 1`).map(
      ({ name }) => name
    )
  const before = await tables()
  const daysSince = (ago: number) => Math.floor((Date.now() - Date.parse(monthOf(ago))) / 86_400_000)
  const run = (days: number, ...more: string[]) =>
    operate(databaseUrl, ['retention', 'events', ...more], { env: { EVENTS_KEPT: String(days) } })

  t.match(await run(daysSince(2)), {
    code: 0,
    output: `${nameOf(4)}: 1 events\n${nameOf(3)}: 1 events\nWould remove 2 months. Nothing was removed: repeat it with --confirm.\n`
  })
  t.same(await tables(), before)
  t.match(await run(daysSince(2), '--confirm'), {
    code: 0,
    output: `Removed: ${nameOf(4)}\nRemoved: ${nameOf(3)}\nRemoved 2 months.\n`
  })
  t.same(await tables(), [2, 1, 0, -1, -2, -3].map(nameOf), 'the others stay')
  t.match(
    await sql`select operation, request_id from audit_events where user_type = 'Operator' order by id`,
    [
      { operation: 'previewEventRetention' },
      { operation: 'removeEventMonth', request_id: nameOf(4) },
      { operation: 'removeEventMonth', request_id: nameOf(3) }
    ]
  )
  t.match(await run(0), { code: 1 }, 'a setting that the service refuses')
})
