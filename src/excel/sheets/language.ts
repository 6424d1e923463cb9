import type { FastifyRequest } from 'fastify'
import type { Language } from './columns.js'

/** The language that a caller asks for, by the query, or by what `Accept-Language` prefers. */
export function languageOf({ query, headers }: FastifyRequest): Language {
  const { language } = query as { language?: Language }
  return language ?? preferred(headers['accept-language'] ?? '')
}

/** The first of the languages that are accepted, by their weight (RFC 9110, 12.5.4). */
export function preferred(accepted: string): Language {
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
