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

/** The words of a search, folded, as patterns for LIKE; undefined where there are none. */
export function searchPatterns(query = ''): string[] | undefined {
  const words = foldText(query)
    .split(/\s+/)
    .filter((word) => word !== '')
  return words.length === 0 ? undefined : words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
}
