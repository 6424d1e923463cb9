const DAY_MS = 86_400_000
const timeZone = 'Europe/Copenhagen'

/** The day in Denmark some days from today, `yyyy-mm-dd`. */
export const dayIn = (days: number): string =>
  new Intl.DateTimeFormat('sv', { timeZone }).format(Date.now() + days * DAY_MS)

/** A time in Denmark some days from today, with its UTC offset. */
export function timeIn(days: number, time: string): string {
  const day = dayIn(days)
  const noon = new Date(`${day}T12:00:00Z`)
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(noon)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '')
  return `${day}T${time}:00${offset}`
}
