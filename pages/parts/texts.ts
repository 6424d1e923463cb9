import { type Language, language, locale } from './language.js'

/** Texts by their keys, in both languages. `{name}` is a placeholder. */
export type PageTexts = Readonly<Record<string, Readonly<Record<Language, string>>>>

/** The function that finds a text of a table in the language of the page, and fills it in. */
export const translatorOf =
  <T extends PageTexts>(texts: T) =>
  (key: keyof T, values: Readonly<Record<string, string | number>> = {}): string =>
    (texts[key]?.[language.get()] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => shown(values[name] ?? ''))

const shown = (value: string | number) => (typeof value === 'number' ? numberText(value) : value)

/** A number, such as `1.234,5`. */
export const numberText = (value: number): string => new Intl.NumberFormat(locale()).format(value)

/** Today in the user's time zone, such as `2025-11-25`. */
export const today = (): string => new Intl.DateTimeFormat('sv').format(new Date())

/** Whether a text of a URL is a civil date. */
export const isDayText = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** The format of days, without the present year unless one of the days is in another year. */
const dayFormat = (...days: readonly string[]): Intl.DateTimeFormatOptions => ({
  day: 'numeric',
  month: 'short',
  ...(days.some((day) => Number(day.slice(0, 4)) !== new Date().getFullYear()) && { year: 'numeric' })
})
const clockFormat = { hour: '2-digit', minute: '2-digit' } as const

/** The time of an instant, such as `25. nov. 17.30`. */
export const timeText = (instant: string): string =>
  new Intl.DateTimeFormat(locale(), { ...dayFormat(instant), ...clockFormat }).format(new Date(instant))

/** The time from one instant to another, such as `man. 30. nov. 10.00–12.00`. */
export const timesText = (from: string, to: string): string =>
  new Intl.DateTimeFormat(locale(), { weekday: 'short', ...dayFormat(from, to), ...clockFormat }).formatRange(
    new Date(from),
    new Date(to)
  )

const civilText = (date: string, format: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale(), { ...format, timeZone: 'UTC' }).format(new Date(date))

/** A civil date, such as `25. nov.` */
export const dateText = (date: string): string => civilText(date, dayFormat(date))

/** Two civil dates, such as `1. dec. – 5. dec.`, both with the year or none. */
export const datesText = (from: string, to: string): string =>
  [from, to].map((date) => civilText(date, dayFormat(from, to))).join(' – ')

/** A civil date or a month, with the year. */
export const fullDateText = (date: string): string =>
  date.length === 'yyyy-mm'.length
    ? monthText(date)
    : civilText(date, { ...dayFormat(date), year: 'numeric' })

/** Two civil dates, both with the year. */
export const fullDatesText = (from: string, to: string): string => [from, to].map(fullDateText).join(' – ')

/** A month, such as `nov. 2025`, from `2025-11`. */
export const monthText = (month: string): string => civilText(month, { month: 'short', year: 'numeric' })
