import t from 'tap'
import { calendarDate, datePartsOf } from '../../src/platform/dates/calendar-date.js'
import { dateFormatterOf } from '../../src/platform/dates/date-in-time-zone.js'

t.test('accepts only days of the calendar', async (t) => {
  const cases: [input: string | [number, number, number], date: string | undefined][] = [
    [[2026, 1, 2], '2026-01-02'],
    ['2026-01-02', '2026-01-02'],
    [[2024, 2, 29], '2024-02-29'],
    [[1, 1, 1], '0001-01-01'],
    [[9999, 12, 31], '9999-12-31'],
    [[2026, 2, 29], undefined],
    [[2026, 2, 30], undefined],
    ['2026-02-30', undefined],
    [[2026, 4, 31], undefined],
    [[2026, 13, 1], undefined],
    [[2026, 0, 1], undefined],
    [[2026, 1, 0], undefined],
    [[2026, -1, 1], undefined],
    [[0, 1, 1], undefined],
    [[-1, 1, 1], undefined],
    [[10_000, 1, 1], undefined],
    ['0000-01-01', undefined]
  ]
  for (const [input, date] of cases) t.equal(calendarDate(input), date, JSON.stringify(input))
  t.same(datePartsOf('2026-01-02'), [2026, 1, 2])
})

t.test('returns today in the time zone', async (t) => {
  const moment = new Date('2026-06-30T22:30:00Z')
  t.equal(dateFormatterOf('Europe/Copenhagen')(moment), '2026-07-01')
  t.equal(dateFormatterOf('UTC')(moment), '2026-06-30')
})
