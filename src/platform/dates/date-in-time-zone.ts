/** Makes a formatter from `Date` to `yyyy-mm-dd` in the time zone. */
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

/**
 * The instant at which a day of the time zone ends.
 * @param day `yyyy-mm-dd`.
 */
export function instantAfterDay(day: string, timeZone: string): Date {
  const midnight = new Date(`${day}T24:00:00Z`).getTime()
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  /** The milliseconds by which the time zone is ahead of UTC at an instant. */
  const offsetAt = (instant: number) =>
    new Date(`${format.format(instant).replace(' ', 'T')}Z`).getTime() - instant
  // The offset may change between midnight in UTC and the end of the day.
  const near = midnight - offsetAt(midnight)
  const end = midnight - offsetAt(near)
  // Where the clock skips midnight, the day ends when the clock changes.
  return new Date(midnight - offsetAt(end) === end ? end : Math.max(near, end))
}
