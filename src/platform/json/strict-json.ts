import jsonc from 'jsonc-parser'
import { fieldProblem, problem } from '../errors/problem.js'
import { pointerOf } from './json-pointer.js'

/** Deeper than anything that the interface asks for, and far from what a recursive reader can bear. */
const deepest = 64

const [QUOTE, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d]

/** Makes the error with which a text is refused. */
export interface JsonRefusals {
  deep(levels: number): Error
  /** `pointer` (RFC 6901) names the member that is there twice. */
  twice(pointer: string): Error
}

const ofBody: JsonRefusals = {
  deep: (levels) => problem('malformed-json', `The body is nested deeper than ${levels} levels.`),
  twice: (pointer) =>
    fieldProblem(problem, 'malformed-json', pointer, `In the body: ${pointer} is there twice. Send it once.`)
}

/**
 * Refuses a text that is nested too deep, well-formed or not, before `JSON.parse` makes an array of each of its brackets: those of
 * a large body would hold the event loop.
 * @throws Problem `malformed-json`
 */
export function assertDepth(text: string): void {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at < 0) return
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      if (++depth > deepest) throw ofBody.deep(deepest)
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--
  }
}

/**
 * Looks at what `JSON.parse` passes over in a text that it took for JSON: of two members of one name it keeps the last, so a value that
 * was sent would be dropped in silence, and it knows no depth. The text is read again only where a count of its members differs.
 * @param value what it made of the text.
 * @throws what `refusals` make of it; for a body Problem `malformed-json`.
 */
export function assertNoDuplicateKeys(text: string, value: unknown, refusals: JsonRefusals = ofBody): void {
  if (countMembers(value, 0) !== countNames(text)) readThrough(text, refusals)
}

/** The members of all objects in a value; no number when it is nested too deep. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth === deepest) return Number.NaN
  const isArray = Array.isArray(value)
  const values: unknown[] = isArray ? value : Object.values(value)
  let count = isArray ? 0 : values.length
  for (const each of values)
    if (typeof each === 'object' && each !== null) count += countMembers(each, depth + 1)
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

/** Throws at the first member whose name its object has already, or at the first level too many: also of what was dropped. */
function readThrough(text: string, refusals: JsonRefusals): void {
  const open: Set<string>[] = []
  const begin = () => {
    if (open.push(new Set()) > deepest) throw refusals.deep(deepest)
  }
  const end = () => {
    open.pop()
  }
  jsonc.visit(text, {
    onObjectBegin: begin,
    onObjectEnd: end,
    onArrayBegin: begin,
    onArrayEnd: end,
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const names = open.at(-1)
      if (names?.has(name)) throw refusals.twice(pointerOf(...path(), name))
      names?.add(name)
    }
  })
}
