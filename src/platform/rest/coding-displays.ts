import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify'
import { type Language, languages } from '../errors/language.js'
import type { Coding } from '../schemas/schemas.js'
import { acceptedLanguage } from '../util/accept-language.js'
import { addVary } from '../util/vary.js'

/** A coding with its displays by language. */
export interface Translation extends Pick<Coding, 'system' | 'code'> {
  displays: Partial<Record<Language, string>>
}

/**
 * Shows codings with their displays in the language that `Accept-Language` prefers. A display
 * without a translation stays, and so do all without the header. Responses are translated as JSON
 * text, because PostgreSQL serializes most of them.
 */
export function translateDisplays(
  _app: FastifyInstance,
  { translations }: { translations: readonly Translation[] }
): onSendAsyncHookHandler {
  const displays = new Map(languages.map((language) => [language, displaysIn(language, translations)]))
  return async (request, reply, payload) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isText || !isJson.test(String(reply.getHeader('content-type')))) return payload
    addVary(reply, 'Accept-Language')
    const language = acceptedLanguage(request.headers['accept-language'])
    const translated = language && displays.get(language)
    return translated ? translate(payload.toString(), translated) : payload
  }
}

const isJson = /^application\/json\b/

/** The displays as JSON, by the JSON of system and code. The first translation of a code counts. */
function displaysIn(language: Language, translations: readonly Translation[]): Map<string, string> {
  const displays = new Map<string, string>()
  for (const { system, code, displays: texts } of translations) {
    const [key, text] = [JSON.stringify({ system, code }).slice(0, -1), texts[language]]
    if (text !== undefined && !displays.has(key)) displays.set(key, JSON.stringify(text))
  }
  return displays
}

/**
 * A coding in JSON, as serializers write it. Texts cannot contain it: their quotes are escaped.
 */
const CODING =
  /(\{"system":"(?:[^"\\]|\\.)*","code":"(?:[^"\\]|\\.)*"),"display":(?:"(?:[^"\\]|\\.)*"|null)\}/g

/** Codings after which other requests get a turn. */
const CODINGS_PER_TURN = 2000

/** Replaces the displays of all codings that have one in `displays`. Yields to the event loop. */
export async function translate(json: string, displays: ReadonlyMap<string, string>): Promise<string> {
  let [translated, end, count] = ['', 0, 0]
  for (const match of json.matchAll(CODING)) {
    if (++count % CODINGS_PER_TURN === 0) await setImmediate()
    const display = displays.get(match[1] ?? '')
    if (display === undefined) continue
    translated += `${json.slice(end, match.index)}${match[1]},"display":${display}}`
    end = match.index + match[0].length
  }
  return translated + json.slice(end)
}
