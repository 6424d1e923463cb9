import { dateFormatterOf, instantAfterDay } from '../../src/platform/dates/calendar-date.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The day some days from today in a time zone, `yyyy-mm-dd`. */
export function dayIn(days: number, timeZone: string): string {
  const today = Date.parse(dateFormatterOf(timeZone)(new Date()))
  return new Date(today + days * DAY_MS).toISOString().slice(0, 10)
}

/** The instant some hours after the beginning of today in a time zone. */
export function hourToday(hours: number, timeZone: string): string {
  const start = instantAfterDay(dayIn(-1, timeZone), timeZone).getTime()
  return new Date(start + hours * HOUR_MS).toISOString()
}
