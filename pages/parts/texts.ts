import { type Language, language, locale } from './language.js'

/** Texts by their keys, in both languages. `{name}` is a placeholder. */
export type PageTexts = Readonly<Record<string, Readonly<Record<Language, string>>>>

/** The function that finds a text of a table in the language of the page, and fills it in. */
export const translatorOf =
  <T extends PageTexts>(texts: T) =>
  (key: keyof T, values: Readonly<Record<string, string | number>> = {}): string =>
    (texts[key]?.[language.get()] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => shown(values[name] ?? ''))

const shown = (value: string | number) =>
  typeof value === 'number' ? new Intl.NumberFormat(locale()).format(value) : value

/** The time of an instant, such as `25. nov. 2026 17.30`. */
export const timeText = (instant: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant))

/** A civil date, such as `25. nov. 2026`. */
export const dateText = (date: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date))
