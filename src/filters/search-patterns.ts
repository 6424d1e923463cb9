import { fill } from '../platform/errors/language.js'
import { queryProblem } from '../platform/errors/query-problem.js'
import { foldText } from '../platform/text/search-text.js'
import { filterTexts } from './texts.js'

/** Maximum different words of a search, and characters of each after folding. */
const MAX_WORDS = 10
const MAX_WORD_LENGTH = 100

/** GTINs are equal if they differ only in leading zeros. */
const zerosOfGtin = /^(?=\d{12,14}$)0+/

/** The rule for the comparison of words in a search, for the documentation. */
export const searchRuleText =
  'Case, accents, spaces and the signs `-`, `/` and `.` are ignored; å and aa, æ and ae, ø and oe are equal.'

/** A sentence about the limits of a search, for the documentation. */
export const searchLimitText = `At most ${MAX_WORDS} different words of at most ${MAX_WORD_LENGTH} characters.`

/**
 * Makes LIKE patterns of the distinct folded words of the query parameter `q`. Undefined without
 * words.
 * @throws Problem `invalid-query` for too many or too long words.
 */
export function searchPatterns(q: string | undefined): string[] | undefined {
  const folded = foldText(q?.replace(/\s+/g, '\n') ?? '').split('\n')
  const words = new Set(folded.map((word) => word.replace(zerosOfGtin, '')))
  words.delete('')
  if (words.size > MAX_WORDS) throw queryProblem('q', fill(filterTexts.maxWords, { max: MAX_WORDS }))
  for (const word of words)
    if (word.length > MAX_WORD_LENGTH && [...word].length > MAX_WORD_LENGTH)
      throw queryProblem('q', fill(filterTexts.maxWordLength, { max: MAX_WORD_LENGTH }))
  return words.size === 0 ? undefined : [...words].map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
}
