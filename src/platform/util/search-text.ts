import { mapYielding } from '../concurrency/map-yielding.js'
import { fieldProblem, problem } from '../errors/problem.js'

const danish: Readonly<Record<string, string>> = { æ: 'ae', ø: 'o', đ: 'd', ß: 'ss' }

/** Unicode's compatibility form (NFKD) without accents. */
const normalized = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '')

/** Characters that the most growing one, U+FDFA, becomes when it is normalized. */
const LARGEST_GROWTH = 18

/** Characters that may grow; not those of European languages, and the most usual ones of Chinese. */
const mayGrow =
  /[\u00bc-\u00be\u0132\u0133\u013f\u0140\u0149\u0180-\u0385\u03cf-\u03ff\u0500-\u200f\u2017\u2024-\u4dff\ua000-\uffff]/

/**
 * Whether a text is longer than so many characters once it is normalized: some characters stand for many. It is normalized piece by
 * piece, and only until that is known.
 */
export function growsBeyond(limit: number, text: string): boolean {
  if (text.length * LARGEST_GROWTH <= limit || !mayGrow.test(text)) return false
  let left = limit
  for (const [piece] of text.matchAll(/.{1,256}/gsu)) {
    left -= [...normalized(piece)].length
    if (left < 0) return true
  }
  return false
}

/** Folds text for search: without regard to case and accents, and with Danish letters as a foreign keyboard has them. */
const foldText = (text: string): string =>
  normalized(text.toLowerCase()).replace(/[æøđß]/g, (letter) => danish[letter] ?? letter)

type Texts = readonly (string | null | undefined)[]
const present = (texts: Texts) => texts.filter((text) => text !== null && text !== undefined && text !== '')

/** What a search looks through: texts joined and folded; absent ones are left out. */
export const searchText = (...texts: Texts) => foldText(present(texts).join(' '))

/** The same for each of many, or of much text: yields to other requests in between. */
export async function searchTexts(groups: readonly Texts[]): Promise<string[]> {
  const made = groups.map((): string[] => [])
  const all = groups.flatMap((texts, group) => present(texts).map((text) => ({ group, text })))
  await mapYielding(all, ({ group, text }) => made[group]?.push(foldText(text as string)))
  return made.map((texts) => texts.join(' '))
}

/** How much a search may ask for: different words, and characters of each as it is folded. */
export interface SearchLimits {
  searchWords: number
  searchWord: number
}

/** The same in a sentence, for the documentation. */
export const searchBound = ({ searchWords, searchWord }: SearchLimits) =>
  `At most ${searchWords} different words of at most ${searchWord} characters.`

/**
 * The words of the query parameter `q`, folded and each once, as patterns for LIKE; undefined where there are none.
 * @throws Problem `invalid-query` for more or longer words than a search may have.
 */
export function searchPatterns(
  { searchWords, searchWord }: SearchLimits,
  q: string | undefined
): string[] | undefined {
  const words = new Set(foldText(q ?? '').split(/\s+/))
  words.delete('')
  if (words.size > searchWords)
    throw fieldProblem(
      problem,
      'invalid-query',
      '/q',
      `Query parameter q must have ${searchWords} different words or fewer.`
    )
  for (const word of words)
    if (word.length > searchWord && [...word].length > searchWord)
      throw fieldProblem(
        problem,
        'invalid-query',
        '/q',
        `Each word of query parameter q must have ${searchWord} characters or fewer, folded to plain letters.`
      )
  return words.size === 0 ? undefined : [...words].map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
}
