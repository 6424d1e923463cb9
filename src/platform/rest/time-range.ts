import { queryProblem } from '../errors/problem.js'
import { isDate, isTimestamp } from '../json/validation.js'

interface Clock {
  /** IANA name of the time zone in which calendar days begin and end. */
  timeZone: string
}

/**
 * Parses a query parameter, a timestamp or a day of the time zone, as the inclusive start of a
 * range. Returns a timestamp for PostgreSQL.
 * @throws Problem `invalid-query`.
 */
export const startOfRange = (clock: Clock, parameter: string, text: string): string =>
  timestampOf(clock, parameter, text, '00:00')

/**
 * Parses a query parameter as the end of a range: a day is included, a timestamp is not.
 * @throws Problem `invalid-query`.
 */
export const endOfRange = (clock: Clock, parameter: string, text: string): string =>
  timestampOf(clock, parameter, text, '24:00')

function timestampOf({ timeZone }: Clock, parameter: string, text: string, time: string): string {
  if (isTimestamp(text)) return new Date(text).toISOString()
  if (!isDate(text))
    throw queryProblem(parameter, {
      en: 'must be a date, yyyy-mm-dd, or a timestamp, such as 2026-11-21T12:00:00Z',
      da: 'skal være en dato, åååå-mm-dd, eller et tidspunkt, for eksempel 2026-11-21T12:00:00Z'
    })
  return `${text} ${time} ${timeZone}`
}
