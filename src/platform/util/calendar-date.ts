/** `[year, month, day]` or `"yyyy-mm-dd"`; whether it is a date of the calendar is another question. */
export type DateInput = string | [number, number, number]

const pad = (part: number, length: number) => String(part).padStart(length, '0')

/** A date of the interface as `yyyy-mm-dd`; undefined when the calendar has no such day (30 February), or it lies outside the years 1 to 9999. */
export function calendarDate(input: DateInput): string | undefined {
  const [year, month, day] = (typeof input === 'string' ? input.split('-').map(Number) : input) as [
    number,
    number,
    number
  ]
  const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
  const moment = new Date(`${text}T00:00:00Z`)
  // JavaScript lets the 30th of February roll over into March; the text then differs.
  const exists = year >= 1 && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
  return exists ? text : undefined
}

/** `yyyy-mm-dd` as `[year, month, day]`. */
export function datePartsOf(date: string): [number, number, number] {
  return date.split('-').map(Number) as [number, number, number]
}
