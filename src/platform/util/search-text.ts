import { mapYielding } from '../concurrency/map-yielding.js'
import { queryProblem } from '../errors/problem.js'

const danish: Readonly<Record<string, string>> = { æ: 'ae', ø: 'o', đ: 'd', ß: 'ss' }

/** Unicode compatibility decomposition (NFKD) without accents. */
const normalized = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '')

/** Maximum characters that one character (U+FDFA) becomes by normalization. */
const MAX_GROWTH = 18

/** Characters that may grow. European letters and the most common Chinese ones do not. */
const mayGrow =
  /[\u00bc-\u00be\u0132\u0133\u013f\u0140\u0149\u0180-\u0385\u03cf-\u03ff\u0500-\u200f\u2017\u2024-\u4dff\ua000-\uffff]/

/**
 * Whether a text has more than `limit` characters after normalization, which expands some
 * characters. Normalizes in chunks and stops at the limit.
 */
export function exceedsNormalizedLength(limit: number, text: string): boolean {
  if (text.length * MAX_GROWTH <= limit || !mayGrow.test(text)) return false
  let left = limit
  for (const [chunk] of text.matchAll(/.{1,256}/gsu)) {
    left -= [...normalized(chunk)].length
    if (left < 0) return true
  }
  return false
}

/**
 * Folds text for search: lower case, no accents, Danish letters in ASCII (æ as ae, ø as o). As the
 * function `fold_text` of PostgreSQL.
 */
const foldText = (text: string): string =>
  normalized(text.toLowerCase())
    .toLowerCase()
    .replace(/[æøđß]/g, (letter) => danish[letter] ?? letter)

type Texts = readonly (string | null | undefined)[]
const present = (texts: Texts) => texts.filter((text) => text !== null && text !== undefined && text !== '')

/** Joins and folds texts for search. Absent texts are omitted. */
export const searchText = (...texts: Texts) => foldText(present(texts).join(' '))

/** Like {@link searchText} for many groups of texts. Yields to the event loop. */
export async function searchTexts(groups: readonly Texts[]): Promise<string[]> {
  const folded = groups.map((): string[] => [])
  const all = groups.flatMap((texts, group) => present(texts).map((text) => ({ group, text })))
  await mapYielding(all, ({ group, text }) => folded[group]?.push(foldText(text as string)))
  return folded.map((texts) => texts.join(' '))
}

/** Maximum different words of a search, and characters of each after folding. */
const MAX_WORDS = 10
const MAX_WORD_LENGTH = 100

/** The limits of a search in a sentence, for the documentation. */
export const searchLimitText = `At most ${MAX_WORDS} different words of at most ${MAX_WORD_LENGTH} characters.`

/**
 * Makes LIKE patterns of the distinct folded words of the query parameter `q`. Undefined without
 * words.
 * @throws Problem `invalid-query` for too many or too long words.
 */
export function searchPatterns(q: string | undefined): string[] | undefined {
  const words = new Set(foldText(q ?? '').split(/\s+/))
  words.delete('')
  if (words.size > MAX_WORDS)
    throw queryProblem('q', {
      en: `must have at most ${MAX_WORDS} different words`,
      da: `må højst have ${MAX_WORDS} forskellige ord`
    })
  for (const word of words)
    if (word.length > MAX_WORD_LENGTH && [...word].length > MAX_WORD_LENGTH)
      throw queryProblem('q', {
        en: `must have words of at most ${MAX_WORD_LENGTH} characters after folding`,
        da: `må kun have ord på højst ${MAX_WORD_LENGTH} tegn efter forenkling`
      })
  return words.size === 0 ? undefined : [...words].map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
}
