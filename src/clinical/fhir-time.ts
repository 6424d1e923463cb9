/** The moment at which times are judged, and the calendar date that it falls on. */
export interface Now {
  moment: Date
  /** `yyyy-mm-dd` */
  date: string
}

/** Milliseconds by which clocks may differ. */
const leeway = 60_000

/** A year, a month or a day, which has no time of its own. */
const partial = /^\d{4}(-\d\d(-\d\d)?)?$/
const complete = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Whether a FHIR dateTime has come; never for a text that is none. */
export function hasBegun(text: string, { moment, date }: Now): boolean {
  if (partial.test(text)) return text <= date.slice(0, text.length)
  return complete.test(text) && Date.parse(text) <= moment.getTime() + leeway
}

/** Whether a FHIR dateTime lies behind us, a year, month or day as a whole; always for a text that is none. */
export function isOver(text: string, { moment, date }: Now): boolean {
  if (partial.test(text)) return text < date.slice(0, text.length)
  return !(complete.test(text) && Date.parse(text) >= moment.getTime())
}
