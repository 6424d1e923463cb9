import jsonc from 'jsonc-parser'
import { fieldProblem, problem } from '../errors/problem.js'
import { pointerOf } from './json-pointer.js'

/** Deeper than anything that the interface asks for, and far from what a recursive reader can bear. */
const MAX_DEPTH = 64

const [QUOTE, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d]

const nestedTooDeep = () => problem('malformed-json', `The body is nested deeper than ${MAX_DEPTH} levels.`)

/** `pointer` (RFC 6901) names the duplicate member. */
const duplicateMember = (pointer: string) =>
  fieldProblem(problem, 'malformed-json', pointer, `In the body: ${pointer} is there twice. Send it once.`)

/**
 * Refuses a text that is nested too deep, well-formed or not, before `JSON.parse` makes an array of each of its brackets: those of
 * a large body would hold the event loop.
 * @throws Problem `malformed-json`
 */
export function assertDepth(text: string, refuse: () => Error = nestedTooDeep): void {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at < 0) return
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      if (++depth > MAX_DEPTH) throw refuse()
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--
  }
}

/**
 * Refuses duplicate members of an object, of which `JSON.parse` silently keeps the last. The text is read again only where the
 * numbers of members differ.
 * @param value what `JSON.parse` made of the text, which {@link assertDepth} let pass.
 * @throws what `refuse` makes of the JSON pointer of a duplicate; for a body Problem `malformed-json`.
 */
export function assertNoDuplicateKeys(
  text: string,
  value: unknown,
  refuse: (pointer: string) => Error = duplicateMember
): void {
  if (countMembers(value) !== countNames(text)) readThrough(text, refuse)
}

/** The members of all objects in a value. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const isArray = Array.isArray(value)
  const values: unknown[] = isArray ? value : Object.values(value)
  let count = isArray ? 0 : values.length
  for (const each of values) if (typeof each === 'object' && each !== null) count += countMembers(each)
  return count
}

/** The strings of a JSON text that are followed by a colon: names of members. */
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

/** Where the string that begins at `start` ends; -1 when it does not. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

/** Whether a character has an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

/** What JSON takes for white space: space, tab, line feed, carriage return. */
const isSpace = (code: number) => code === 32 || code === 9 || code === 10 || code === 13

/** Throws at the first member whose name its object has already. */
function readThrough(text: string, refuse: (pointer: string) => Error): void {
  const open: Set<string>[] = []
  const end = () => {
    open.pop()
  }
  jsonc.visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: end,
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const names = open.at(-1)
      if (names?.has(name)) throw refuse(pointerOf(...path(), name))
      names?.add(name)
    }
  })
}
