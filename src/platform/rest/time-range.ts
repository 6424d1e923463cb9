import { queryProblem } from '../errors/query-problem.js'
import { isDate, isTimestamp } from '../json/validation.js'
import { platformTexts } from '../texts.js'

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
  if (!isDate(text)) throw queryProblem(parameter, platformTexts.dateOrTime)
  return `${text} ${time} ${timeZone}`
}
