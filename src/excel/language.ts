import type { FastifyRequest } from 'fastify'
import { acceptedLanguage, type Language } from '../platform/util/accept-language.js'

/** The language of a request: its query parameter, else the one preferred by `Accept-Language`. */
export function requestLanguage({ query, headers }: FastifyRequest): Language {
  const { language } = query as { language?: Language }
  return language ?? acceptedLanguage(headers['accept-language']) ?? 'en'
}
