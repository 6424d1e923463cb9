import { queryProblem } from '../errors/query-problem.js'
import { platformTexts } from '../errors/texts.js'
import { isDate, isTimestamp } from '../json/validation.js'

interface Clock {
  /** IANA name of the time zone in which calendar days begin and end. */
  timeZone: string
}

/**
 * Parses a timestamp, or the start of a day of the time zone, for PostgreSQL.
 * @throws Problem `invalid-query`.
 */
export const startOfRange = (clock: Clock, parameter: string, text: string): string =>
  timestampOf(clock, parameter, text, '00:00')

/**
 * Like {@link startOfRange}, for the end of a range: a day is included, a timestamp is excluded.
 */
export const endOfRange = (clock: Clock, parameter: string, text: string): string =>
  timestampOf(clock, parameter, text, '24:00')

function timestampOf({ timeZone }: Clock, parameter: string, text: string, time: string): string {
  if (isTimestamp(text)) return new Date(text).toISOString()
  if (isTimestamp(text.replace(' ', '+'))) throw queryProblem(parameter, platformTexts.plusAsSpace)
  if (!isDate(text)) throw queryProblem(parameter, platformTexts.dateOrTime)
  return `${text} ${time} ${timeZone}`
}
