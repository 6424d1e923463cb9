import { type Language, language, locale } from './language.js'

/** A text, or its forms for a count of one and for others. `{name}` is a placeholder. */
export type PageText = string | { one: string; other: string }
export type PageTexts = Readonly<Record<string, Readonly<Record<Language, PageText>>>>

/**
 * The function that finds a text of a table in the language of the page, with its placeholders
 * filled in. `count` chooses between the forms.
 */
export const translatorOf =
  <T extends PageTexts>(texts: T) =>
  (key: keyof T, values: Readonly<Record<string, string | number>> = {}): string => {
    const text = texts[key]?.[language.get()] ?? ''
    const form = typeof text === 'string' ? text : text[values.count === 1 ? 'one' : 'other']
    return form.replace(/\{(\w+)\}/g, (_, name: string) => shown(values[name] ?? ''))
  }

const shown = (value: string | number) =>
  typeof value === 'number' ? new Intl.NumberFormat(locale()).format(value) : value

/** The time of an instant, such as `25. nov. 2026 17.30`. */
export const timeText = (instant: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant))

/** A civil date, such as `25. nov. 2026`. */
export const dateText = (date: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date))
