/** `[year, month, day]` or `"yyyy-mm-dd"`; not necessarily an existing date. */
export type DateInput = string | [number, number, number]

const pad = (part: number, length: number) => String(part).padStart(length, '0')

/**
 * Formats a date as `yyyy-mm-dd`. Undefined for dates that do not exist (30 February) and outside
 * the years 1 to 9999.
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

/** Splits `yyyy-mm-dd` into `[year, month, day]`. */
export function datePartsOf(date: string): [number, number, number] {
  return date.split('-').map(Number) as [number, number, number]
}
