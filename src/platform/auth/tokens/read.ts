import { isStorable } from '../../json/json-body-parser.js'
import { assertNoDuplicateKeys } from '../../json/strict-json.js'
import { unauthorized } from './claims.js'

/** A part of a token. Members are read with `Object.hasOwn`: one may be called `__proto__`. */
export type Members = Readonly<Record<string, unknown>>

/** What a token says; nothing of it is verified yet. */
export interface ReadToken {
  header: Members
  claims: Members
  /** The payload as it was signed, before it was parsed. */
  text: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Takes a token apart. Refused, rather than repaired: other encodings of the same bytes, broken UTF-8, what is no JSON object, and members
 * that are there twice, since two readers might each believe another one.
 * @throws Problem `unauthorized`.
 */
export function readToken(token: string): ReadToken {
  const [first = '', second = ''] = token.split('.')
  const text = textOf(second)
  return { header: membersOf(textOf(first)), claims: membersOf(text), text }
}

/** The bytes of a part. @throws Problem `unauthorized` when they could also be written otherwise. */
export function bytesOf(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw unauthorized('The token is not encoded as it should be.')
  return bytes
}

function textOf(part: string): string {
  try {
    return utf8.decode(bytesOf(part))
  } catch (cause) {
    throw noToken(cause)
  }
}

function membersOf(text: string): Members {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noToken()
  assertNoDuplicateKeys(text, value, {
    deep: () => unauthorized('The token is nested too deep.'),
    twice: () => unauthorized('The token says something twice.')
  })
  // Only an escape can bring such characters into a text that was valid UTF-8 and valid JSON.
  if (text.includes('\\u') && !isStorable(value)) throw noToken()
  return value as Members
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the token.
    throw noToken()
  }
}

const noToken = (cause?: unknown) => unauthorized('The token is no JSON Web Token.', cause)
