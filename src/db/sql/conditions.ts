import { and, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

/**
 * The column has one of these ids. The ids are passed as one parameter, so the statement text stays
 * the same.
 */
export const inIds = (column: PgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any(${sql.param([...new Set(ids)])}::uuid[])`

type Texts = Placeholder | string[]

/** Texts as one parameter, so that the statement text stays the same. */
export const textArray = (texts: Texts): SQL =>
  sql`${Array.isArray(texts) ? sql.param([...texts]) : texts}::text[]`

/** The column has one of these texts, which are passed as one parameter. */
export const isOneOf = (column: PgColumn, texts: Texts): SQL => sql`${column} = any(${textArray(texts)})`

/** The JSON array in the column contains one of these arrays; they are passed as one parameter. */
export const containsOneOf = (column: PgColumn, arrays: Texts): SQL =>
  sql`${column} @> any(${textArray(arrays)}::jsonb[])`

/** The folded column matches every pattern of a search. */
export const likeAll = (column: PgColumn | SQL, patterns: Texts): SQL =>
  sql`${column} like all(${textArray(patterns)})`

export interface WordParams {
  words: string[] | undefined
  /** The longest pattern, if its word has a trigram. */
  longestWord: string | undefined
}

const TRIGRAM_PATTERN_LENGTH = '%abc%'.length

export function wordParams(patterns: string[] | undefined): WordParams {
  const [longest = ''] = [...(patterns ?? [])].sort((one, other) => other.length - one.length)
  return { words: patterns, longestWord: longest.length < TRIGRAM_PATTERN_LENGTH ? undefined : longest }
}

/**
 * The column `words` of a table, which PostgreSQL generates from the texts of the row, matches all
 * words. Only the comparison with one pattern can use the trigram index.
 */
export const wordsMatch = (
  table: PgTable,
  { words, longestWord }: { words?: Texts | undefined; longestWord?: Placeholder | string | undefined }
): SQL | undefined =>
  and(
    longestWord ? sql`${table}.words like ${longestWord}` : undefined,
    words && likeAll(sql`${table}.words`, words)
  )
