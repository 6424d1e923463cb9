import jsonc from 'jsonc-parser'
import { fieldProblem, problem } from '../errors/problem.js'
import { pointerOf } from './json-pointer.js'

/** Deeper than any body of the interface, and safe for recursive functions. */
const MAX_DEPTH = 64
/**
 * Objects and arrays of a text, or one per {@link MIN_CONTAINER_LENGTH} characters if that is more.
 * No valid body has as many: its shortest object is `{"system":"","value":""}`.
 */
const MAX_CONTAINERS = 65_536
const MIN_CONTAINER_LENGTH = 24

const [QUOTE, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d]

const tooManyContainers = () =>
  problem(
    'malformed-json',
    `Maximum of the body: ${MAX_DEPTH} levels of nesting, and ${MAX_CONTAINERS} objects and arrays, or one per ${MIN_CONTAINER_LENGTH} characters.`
  )

/** @param pointer RFC 6901 pointer to the duplicate member. */
const duplicateMember = (pointer: string) =>
  fieldProblem(problem, 'malformed-json', pointer, `In the body: duplicate member ${pointer}. Send it once.`)

/**
 * Refuses a text that is nested too deep or has too many objects and arrays, well-formed or not.
 * Runs before `JSON.parse`, which would block the event loop with one array for each bracket of a
 * large body.
 * @throws the error of `makeError`, by default Problem `malformed-json`.
 */
export function assertNesting(text: string, makeError: () => Error = tooManyContainers): void {
  let depth = 0
  let containersLeft = Math.max(MAX_CONTAINERS, text.length / MIN_CONTAINER_LENGTH)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at < 0) return
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      if (++depth > MAX_DEPTH || --containersLeft < 0) throw makeError()
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--
  }
}

/**
 * Refuses duplicate members of an object, of which `JSON.parse` silently keeps the last. Parses the
 * text a second time only when the numbers of members differ.
 * @param value the result of `JSON.parse`; the text must have passed {@link assertNesting}.
 * @param makeError makes the error from the JSON pointer of a duplicate.
 * @throws the error of `makeError`, by default Problem `malformed-json`.
 */
export function assertNoDuplicateKeys(
  text: string,
  value: unknown,
  makeError: (pointer: string) => Error = duplicateMember
): void {
  if (countMembers(value) !== countNames(text)) throwAtDuplicate(text, makeError)
}

/**
 * Counts the members of all objects in a value. With `for in`, which makes no list for each object:
 * on a large body of small objects it takes a tenth of the time of `Object.values`.
 */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const entry of value) count += countMembers(entry)
  else for (const name in value) count += 1 + countMembers((value as Record<string, unknown>)[name])
  return count
}

/** Counts the strings of a JSON text that are followed by a colon: member names. */
function countNames(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    let next = endOfString(text, start) + 1
    while (isSpace(text.charCodeAt(next))) next++
    if (text[next] === ':') count++
    start = text.indexOf('"', next)
  }
  return count
}

/** Index of the quote that ends the string at `start`; -1 for an unterminated string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

/** White space of JSON: space, tab, line feed, carriage return. */
const isSpace = (code: number) => code === 32 || code === 9 || code === 10 || code === 13

/** Throws at the first duplicate member. */
function throwAtDuplicate(text: string, makeError: (pointer: string) => Error): void {
  const open: Set<string>[] = []
  const end = () => {
    open.pop()
  }
  jsonc.visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: end,
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const names = open.at(-1)
      if (names?.has(name)) throw makeError(pointerOf(...path(), name))
      names?.add(name)
    }
  })
}
