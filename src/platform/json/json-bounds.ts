import { jsonProblem } from './texts.js'

/** Maximum nesting: deeper than any documented body, and safe for recursive functions. */
const MAX_DEPTH = 64
/** Maximum members of objects and entries of arrays together. Only bulk bodies have so many. */
const MAX_MEMBERS = 20_000
/**
 * Characters of a bulk body for each member or entry. The shortest object is
 * `{"system":"","value":""}`.
 */
const MIN_MEMBER_LENGTH = 8

/** Maximum members and entries of the JSON text of a bulk body. */
export const maxBulkMembers = (text: string): number =>
  Math.max(MAX_MEMBERS, Math.floor(text.length / MIN_MEMBER_LENGTH))

/**
 * Rejects a text that is nested too deep or has too many values, well-formed or not. Runs before
 * `JSON.parse`, which would block the event loop.
 * @throws Problem `malformed-json`.
 */
export function assertBounds(text: string, maxMembers = MAX_MEMBERS): void {
  let [depth, members, isInString] = [0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === ',') members++
    else if (character === '[' || character === '{') {
      depth++
      // The first member or entry has no comma.
      members++
    } else if (character === ']' || character === '}') depth--
    if (depth > MAX_DEPTH) throw jsonProblem('malformed-json.tooDeep', null, { max: MAX_DEPTH })
    if (members > maxMembers) throw jsonProblem('malformed-json.tooManyValues', null, { max: maxMembers })
  }
}

/** Whether every string in a value, keys included, is well-formed Unicode without NUL. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (Array.isArray(value)) return value.every(isStorable)
  if (value === null || typeof value !== 'object') return true
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member))
}
