import { mapYielding } from '../concurrency/map-yielding.js'

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
