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
