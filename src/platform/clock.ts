/** The calendar date, `yyyy-mm-dd`, on which a moment falls in a time zone. */
export function dateIn(timeZone: string, moment: Date): string {
  // The Swedish locale writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit'
  }).format(moment)
}
