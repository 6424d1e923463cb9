import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { putRow } from '../fixtures/audit/rows.js'
import { plantEvents } from '../fixtures/events/ledger-checks.js'
import { operate, plantMonths } from '../fixtures/operator.js'

t.test('retention of the audit record', async (t) => {
  const { sql, databaseUrl } = await testApp(t)
  const { startOf, nameOf, names } = await plantMonths(sql, 'audit_events', [6, 5, 4, 3, 2])
  for (const ago of [6, 5, 4, 3, 2]) await putRow(sql, { recorded: new Date(`${startOf(ago)}T12:00:00Z`) })
  const retain = (months: number, ...more: string[]) =>
    operate(databaseUrl, ['retention', 'audit', '--months', String(months), ...more])
  const ownRecords = () => sql`
    select operation, request_id, cardinality(patients) as patients
    from audit_events where user_type = 'Operator' order by id`

  t.test('shows the months that it would remove, and their records', async (t) => {
    const before = await names()
    t.same(await retain(4), {
      code: 0,
      output: `${nameOf(6)}: 1 records\n${nameOf(5)}: 1 records\nWould remove 2 months. Nothing was removed. Repeat the command with --confirm.\n`
    })
    t.same(await names(), before)
    t.match(await ownRecords(), [{ operation: 'previewAuditRetention' }])
  })

  t.test('removes months that ended long enough ago, and records each removal', async (t) => {
    t.same(await retain(4, '--confirm'), {
      code: 0,
      output: `Removed: ${nameOf(6)}\nRemoved: ${nameOf(5)}\nRemoved 2 months.\n`
    })
    t.same(await names(), [4, 3, 2, 0, -1, -2, -3].map(nameOf))
    t.match((await ownRecords()).slice(1), [
      { operation: 'removeAuditMonth', request_id: nameOf(6), patients: 0 },
      { operation: 'removeAuditMonth', request_id: nameOf(5), patients: 0 }
    ])
  })

  t.test('removes a month that an interrupted run had detached', async (t) => {
    await sql.unsafe(`alter table audit_events detach partition ${nameOf(4)}`)
    t.same(await retain(3, '--confirm'), { code: 0, output: `Removed: ${nameOf(4)}\nRemoved 1 month.\n` })
  })

  t.test('keeps this month and later ones', async (t) => {
    t.match(await retain(1, '--confirm'), { code: 0 })
    t.same(await names(), [0, -1, -2, -3].map(nameOf))
  })
})

t.test('retention of events removes months that ended EVENTS_KEPT days ago', async (t) => {
  const { sql, databaseUrl } = await testApp(t)
  const { startOf, nameOf, names } = await plantMonths(sql, 'events', [4, 3, 2, 1])
  for (const ago of [4, 3, 2, 1]) await plantEvents(sql, { time: new Date(`${startOf(ago)}T12:00:00Z`) })
  const before = await names()
  const daysSince = Math.floor((Date.now() - Date.parse(startOf(2))) / 86_400_000)
  const retain = (days: number, ...more: string[]) =>
    operate(databaseUrl, ['retention', 'events', ...more], { env: { EVENTS_KEPT: String(days) } })

  t.same(await retain(daysSince), {
    code: 0,
    output: `${nameOf(4)}: 1 events\n${nameOf(3)}: 1 events\nWould remove 2 months. Nothing was removed. Repeat the command with --confirm.\n`
  })
  t.same(await names(), before)
  t.same(await retain(daysSince, '--confirm'), {
    code: 0,
    output: `Removed: ${nameOf(4)}\nRemoved: ${nameOf(3)}\nRemoved 2 months.\n`
  })
  t.same(await names(), [2, 1, 0, -1, -2, -3].map(nameOf), 'the others stay')
  t.match(
    await sql`select operation, request_id from audit_events where user_type = 'Operator' order by id`,
    [
      { operation: 'previewEventRetention' },
      { operation: 'removeEventMonth', request_id: nameOf(4) },
      { operation: 'removeEventMonth', request_id: nameOf(3) }
    ]
  )
  t.match(await retain(0), { code: 1, output: /EVENTS_KEPT/ }, 'a setting that the service refuses')
})
