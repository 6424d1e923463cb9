import t from 'tap'
import { dateFormatterOf, instantAfterDay } from '../../src/platform/dates/calendar-date.js'
import { testApp } from '../fixtures/app.js'

t.test('a day ends at the instant that PostgreSQL computes, with changes of the clock', async (t) => {
  const { sql } = await testApp(t)
  for (const zone of ['Europe/Copenhagen', 'America/New_York', 'Asia/Kolkata', 'America/Santiago', 'UTC']) {
    const rows = await sql<{ day: string; end: Date }[]>`
      select day::date::text as day, (day + interval '1 day') at time zone ${zone} as end
      from generate_series('2025-12-28'::timestamp, '2027-01-05', '1 day') day`
    for (const { day, end } of rows)
      if (instantAfterDay(day, zone).getTime() !== end.getTime())
        t.equal(instantAfterDay(day, zone).toISOString(), end.toISOString(), `${day} in ${zone}`)
    t.ok(rows.length > 370, zone)
  }
})

t.test('today is the day in the time zone', async (t) => {
  const moment = new Date('2026-06-30T22:30:00Z')
  t.equal(dateFormatterOf('Europe/Copenhagen')(moment), '2026-07-01')
  t.equal(dateFormatterOf('UTC')(moment), '2026-06-30')
})
