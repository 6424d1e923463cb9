import { mapYielding } from '../concurrency/map-yielding.js'

const asciiOf: Readonly<Record<string, string>> = { 'a\u030a': 'aa', æ: 'ae', ø: 'oe', đ: 'd', ß: 'ss' }
const letters = new RegExp(Object.keys(asciiOf).join('|'), 'g')

/** Punctuation within a word, spaces, hyphens and invisible characters, which a search ignores. */
const ignored = /[ \-/.\u00ad\u200b-\u200f\u2010-\u2014\u2060\ufeff]/g

const withoutAccents = (text: string) => text.replace(/\p{M}/gu, '')

/** Maximum characters that one character (U+FDFA) becomes by normalization. */
const MAX_GROWTH = 18

/**
 * Characters that may grow by normalization. European letters and the most common Chinese
 * characters do not grow.
 */
const mayGrow =
  /[\u00bc-\u00be\u0132\u0133\u013f\u0140\u0149\u0180-\u0385\u03cf-\u03ff\u0500-\u200f\u2017\u2024-\u4dff\ua000-\uffff]/

/**
 * Whether a text has more than `limit` characters after normalization, which expands some
 * characters.
 */
export function exceedsNormalizedLength(limit: number, text: string): boolean {
  if (text.length * MAX_GROWTH <= limit || !mayGrow.test(text)) return false
  let left = limit
  for (const [chunk] of text.matchAll(/.{1,256}/gsu)) {
    left -= [...withoutAccents(chunk.normalize('NFKD'))].length
    if (left < 0) return true
  }
  return false
}

/**
 * Folds a text for search, like the function `fold_text` of PostgreSQL: lower case, no accents,
 * Danish letters in ASCII, without the signs and spaces within a word. Folds each character
 * separately, so a folded part of a text is also a part of the folded text.
 */
export const foldText = (text: string): string =>
  withoutAccents(
    text
      .normalize('NFKD')
      .toLowerCase()
      .replace(letters, (letter) => asciiOf[letter] ?? letter)
  ).replace(ignored, '')

type Texts = readonly (string | null | undefined)[]
const present = (texts: Texts) => texts.filter((text) => text !== null && text !== undefined && text !== '')

/** Folds texts and joins them with line breaks, which no searched word has. Omits absent texts. */
export const searchText = (...texts: Texts) => foldText(present(texts).join('\n'))

/** Like {@link searchText} for many groups of texts. Yields to the event loop. */
export async function searchTexts(groups: readonly Texts[]): Promise<string[]> {
  const folded = groups.map((): string[] => [])
  const all = groups.flatMap((texts, group) => present(texts).map((text) => ({ group, text })))
  await mapYielding(all, ({ group, text }) => folded[group]?.push(foldText(text as string)))
  return folded.map((texts) => texts.join('\n'))
}
