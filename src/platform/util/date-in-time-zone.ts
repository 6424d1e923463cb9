/** Makes what tells the calendar date, `yyyy-mm-dd`, on which a moment falls in a time zone. */
export function dateFormatterOf(timeZone: string): (moment: Date) => string {
  // The Swedish locale writes dates as ISO 8601 does.
  const { format } = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit'
  })
  return format
}
