/** The current time, and its calendar date in the time zone of the site. */
export interface CurrentTime {
  instant: Date
  /** `yyyy-mm-dd` */
  date: string
}

/** Tolerated clock difference. */
const CLOCK_TOLERANCE_MS = 60_000

/** A FHIR dateTime without a time: a year, a month or a day. */
const partialDate = /^\d{4}(-\d\d(-\d\d)?)?$/
const fullDateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Whether a FHIR dateTime is not in the future. False for malformed text. */
export function hasStarted(text: string, { instant, date }: CurrentTime): boolean {
  if (partialDate.test(text)) return text <= date.slice(0, text.length)
  return fullDateTime.test(text) && Date.parse(text) <= instant.getTime() + CLOCK_TOLERANCE_MS
}

/**
 * Whether a FHIR dateTime has passed, including all of its year, month or day. True for malformed
 * text.
 */
export function hasEnded(text: string, { instant, date }: CurrentTime): boolean {
  if (partialDate.test(text)) return text < date.slice(0, text.length)
  return !(fullDateTime.test(text) && Date.parse(text) >= instant.getTime())
}
