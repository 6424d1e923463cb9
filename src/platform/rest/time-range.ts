import { problem } from '../errors/problem.js'
import { isTimestamp } from '../json/validation.js'
import { calendarDate } from '../util/calendar-date.js'

interface Clock {
  /** IANA name of the time zone in which calendar days begin and end. */
  timeZone: string
}

/**
 * The moment at which a period begins that a query parameter names, as PostgreSQL reads it: a day of the time zone that is set, or a
 * moment.
 * @throws Problem `invalid-query`.
 */
export const startOfRange = (clock: Clock, parameter: string, text: string): string =>
  momentOf(clock, parameter, text, '00:00')

/**
 * The moment before which such a period ends: a day belongs to it, a moment does not.
 * @throws Problem `invalid-query`.
 */
export const endOfRange = (clock: Clock, parameter: string, text: string): string =>
  momentOf(clock, parameter, text, '24:00')

function momentOf({ timeZone }: Clock, parameter: string, text: string, time: string): string {
  if (isTimestamp(text)) return new Date(text).toISOString()
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || calendarDate(text) === undefined)
    throw problem(
      'invalid-query',
      `Query parameter ${parameter} must be a date, yyyy-mm-dd, or a moment, such as 2026-11-21T12:00:00Z.`
    )
  return `${text} ${time} ${timeZone}`
}
