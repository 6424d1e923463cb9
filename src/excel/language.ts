import type { FastifyRequest } from 'fastify'
import type { Language } from './sheets/columns/columns.js'

/** The language of a request: its query parameter, else the one preferred by `Accept-Language`. */
export function requestLanguage({ query, headers }: FastifyRequest): Language {
  const { language } = query as { language?: Language }
  return language ?? preferredLanguage(headers['accept-language'] ?? '')
}

/** Chooses a language by the weights of `Accept-Language` (RFC 9110, 12.5.4). */
export function preferredLanguage(accepted: string): Language {
  const wanted = accepted.split(',').map((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
    const weight = parameters
      .map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1])
      .find((each) => each !== undefined)
    return { language: tag.trim().split('-')[0], weight: Number(weight ?? 1) }
  })
  const weightOf = (language: Language) =>
    Math.max(0, ...wanted.filter((each) => each.language === language).map(({ weight }) => weight))
  return weightOf('da') > weightOf('en') ? 'da' : 'en'
}
