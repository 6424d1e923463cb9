import { acceptedRanges } from './accepted-ranges.js'

/** The languages of displays and of texts for people. */
export const languages = ['en', 'da'] as const
export type Language = (typeof languages)[number]

/** The language of a tag (RFC 5646), such as `da-DK`; undefined for any other language. */
export function languageOf(tag: string | undefined): Language | undefined {
  const primary = tag?.trim().toLowerCase().split('-')[0]
  return languages.find((language) => language === primary)
}

/**
 * The language that an `Accept-Language` header prefers (RFC 9110, section 12.5.4), the first one
 * of several with the same weight. Undefined when it accepts none of them by name.
 */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  return acceptedRanges(header)
    .map((range) => languageOf(range))
    .find((language) => language !== undefined)
}
