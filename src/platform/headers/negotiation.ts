import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Language, languages } from '../errors/language.js'

/**
 * The ranges of a header in lower case, without parameters, by descending weight (RFC 9110, section
 * 12.4.2) and then in their order.
 */
export function acceptedRanges(header: string | undefined): string[] {
  const ranges = (header?.split(',') ?? []).map((text) => {
    const [range = '', ...parameters] = text.split(';')
    const weights = parameters.map((each) => /^\s*q=([\d.]+)\s*$/i.exec(each)?.[1])
    const weight = Number(weights.find((each) => each !== undefined) ?? 1)
    return { range: range.trim().toLowerCase(), weight }
  })
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range)
}

/** The language of a tag (RFC 5646), such as `da-DK`; undefined for any other language. */
export function languageOf(tag: string | undefined): Language | undefined {
  const primary = tag?.trim().toLowerCase().split('-')[0]
  return languages.find((language) => language === primary)
}

/**
 * The language that an `Accept-Language` header prefers (RFC 9110, section 12.5.4). Undefined if it
 * names no known language.
 */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  return acceptedRanges(header)
    .map((range) => languageOf(range))
    .find((language) => language !== undefined)
}

/**
 * The language of the query parameter `language`, otherwise of `Accept-Language`, otherwise
 * English.
 */
export function requestLanguage(request: { query: unknown; headers: IncomingHttpHeaders }): Language {
  const { language } = (request.query ?? {}) as { language?: unknown }
  const chosen = languages.find((each) => each === language)
  return chosen ?? acceptedLanguage(request.headers['accept-language']) ?? 'en'
}

/** Adds a request header to `Vary`: the response depends on it. */
export function addVary(reply: FastifyReply, name: string): void {
  const known = [reply.getHeader('vary') ?? []].flat().join(', ').split(', ').filter(Boolean)
  if (!known.some((each) => each.toLowerCase() === name.toLowerCase()))
    reply.header('vary', [...known, name].join(', '))
}
