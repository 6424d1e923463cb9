/** `[year, month, day]` or `"yyyy-mm-dd"`; not necessarily an existing date. */
export type DateInput = string | [number, number, number]

const pad = (part: number, length: number) => String(part).padStart(length, '0')

/**
 * Formats an existing date of the years 1 to 9999 as `yyyy-mm-dd`. Undefined for any other date.
 */
export function calendarDate(input: DateInput): string | undefined {
  const [year, month, day] = (typeof input === 'string' ? input.split('-').map(Number) : input) as [
    number,
    number,
    number
  ]
  const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
  const moment = new Date(`${text}T00:00:00Z`)
  // JavaScript rolls 30 February over into March; the text then differs.
  const exists = year >= 1 && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
  return exists ? text : undefined
}

export function datePartsOf(date: string): [number, number, number] {
  return date.split('-').map(Number) as [number, number, number]
}

export function dateFormatterOf(timeZone: string): (date: Date) => string {
  // The Swedish locale formats dates as ISO 8601.
  const { format } = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit'
  })
  return format
}

/** The instant at which a day (`yyyy-mm-dd`) of the time zone ends. */
export function instantAfterDay(day: string, timeZone: string): Date {
  const midnight = new Date(`${day}T24:00:00Z`).getTime()
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  /** The milliseconds by which the time zone is ahead of UTC at an instant. */
  const offsetAt = (instant: number) =>
    new Date(`${format.format(instant).replace(' ', 'T')}Z`).getTime() - instant
  // The offset may change between midnight in UTC and the end of the day.
  const near = midnight - offsetAt(midnight)
  const end = midnight - offsetAt(near)
  // If the clock skips midnight, the day ends when the clock changes.
  return new Date(midnight - offsetAt(end) === end ? end : Math.max(near, end))
}
