import type { IncomingHttpHeaders } from 'node:http'
import { type Language, languages } from '../errors/language.js'
import { acceptedRanges } from './accepted-ranges.js'

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

/**
 * The language of a response: that of the query parameter `language`, else the one preferred by
 * `Accept-Language`, else English.
 */
export function requestLanguage(request: { query: unknown; headers: IncomingHttpHeaders }): Language {
  const { language } = (request.query ?? {}) as { language?: unknown }
  const chosen = languages.find((each) => each === language)
  return chosen ?? acceptedLanguage(request.headers['accept-language']) ?? 'en'
}
