import { fieldProblem, problem } from './problem.js'

const danish: Readonly<Record<string, string>> = { æ: 'ae', ø: 'o', đ: 'd', ß: 'ss' }

/** Folds text for search: without regard to case and accents, and with Danish letters as a foreign keyboard has them. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[æøđß]/g, (letter) => danish[letter] ?? letter)
}

/** What a search looks through: texts joined and folded; absent ones are left out. */
export const searchText = (...texts: readonly (string | null | undefined)[]) =>
  foldText(texts.filter((text) => text !== null && text !== undefined && text !== '').join(' '))

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
