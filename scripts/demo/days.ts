import { dateFormatterOf } from '../../src/platform/dates/calendar-date.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The day some days from today in a time zone, `yyyy-mm-dd`. */
export function dayIn(days: number, timeZone: string): string {
  const today = Date.parse(dateFormatterOf(timeZone)(new Date()))
  return new Date(today + days * DAY_MS).toISOString().slice(0, 10)
}

/** The instant some hours after the beginning of the present hour. */
export function hourFromNow(hours: number): string {
  const now = Date.now()
  return new Date(now - (now % HOUR_MS) + hours * HOUR_MS).toISOString()
}
