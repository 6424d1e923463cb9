import { type TSchema, Type } from '@sinclair/typebox'
import { and, eq, gt, gte, lt, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type ClinicalType, isClinicalReference } from '../clinical/reference.js'
import {
  containsOneOf,
  isOneOf,
  likeAll,
  type WordParams,
  wordParams,
  wordsMatch
} from '../db/sql/conditions.js'
import { fill } from '../platform/errors/language.js'
import { queryProblem } from '../platform/errors/query-problem.js'
import { endOfRange, startOfRange } from '../platform/rest/time-range.js'
import { identifierForms, normalizeNumber } from '../platform/text/numbers.js'
import { type ResourceType, withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import { oneOfSet } from '../terminology/known-code.js'
import type { LocalValueSet } from '../terminology/local-value-sets.js'
import { type Filter, type FilterPorts, filter } from './filter.js'
import { searchLimitText, searchPatterns, searchRuleText } from './search-patterns.js'
import { filterTexts } from './texts.js'

/*
 * The types of filters. Each compares a column or has its own condition. A filter without both adds
 * no condition, because the statement uses its parameter directly.
 */

type Condition = (value: Placeholder | string) => SQL
type Target = PgColumn | Condition

const text = (description: string, maxLength = 4000) => Type.String({ maxLength, description })

/** A text that may be sent several times. A comma is a part of the text. */
export const repeatedText = (description: string, maxLength = 4000) =>
  Type.Array(Type.String({ maxLength }), {
    maxItems: 50,
    description: `${description} Several are repeated.`,
    collectionFormat: 'multi'
  })

const matches = (target?: Target) => (value: Placeholder | string) =>
  typeof target === 'function' ? target(value) : target && eq(target, value)

/** The URL of a resource. Its parameter is the id. */
export const byReference = <N extends string>(
  name: N,
  type: ResourceType,
  description: string,
  target?: Target
) =>
  filter(
    name,
    text(description),
    ({ resourceUrls }, url: string) => resourceUrls.parseFilter(type, name, url),
    matches(target)
  )

/** URLs of several resources, repeated. Its parameters are the ids of resources that can exist. */
export const byReferences = <N extends string>(
  name: N,
  type: ResourceType,
  description: string,
  column: PgColumn
) =>
  filter(
    name,
    repeatedText(description, 255),
    ({ resourceUrls }, sent: string[]) => {
      if (sent.some((url) => url.includes(','))) throw queryProblem(name, filterTexts.oneUrl)
      const ids = sent
        .map((url) => resourceUrls.parseFilter(type, name, url))
        .filter((id) => id !== undefined)
      return ids.length > 0 ? [...new Set(ids)] : undefined
    },
    (ids) => sql`${column} = any(${Array.isArray(ids) ? sql.param(ids) : ids}::uuid[])`
  )

/**
 * The query parameter `identifier`, repeated. Its parameters are the stored forms of identifiers,
 * as JSON arrays of one.
 */
export const byIdentifiers = (column: PgColumn) =>
  filter(
    'identifier',
    repeatedText(
      'An identifier as `<system>|<value>`, or its value only. Leading zeros of a GTIN are ignored.'
    ),
    (_ports, sent: string[]) =>
      sent.flatMap((each) => {
        const bar = each.indexOf('|')
        const system = bar < 0 ? {} : { system: normalizeNumber(each.slice(0, bar)) }
        return identifierForms(each.slice(bar + 1)).map((value) => JSON.stringify([{ ...system, value }]))
      }),
    (identifiers) => containsOneOf(column, identifiers)
  )

/** The URL of a clinical resource. Its parameter is the stored form. */
const byClinical = <N extends string>(name: N, type: ClinicalType, description: string, target?: Target) =>
  filter(
    name,
    text(description),
    (_ports, sent: string) => {
      const reference = withoutTrailingSlash(sent)
      if (!isClinicalReference(reference, type))
        throw queryProblem(name, fill(filterTexts.clinicalUrl, { type }))
      return reference
    },
    matches(target)
  )

/** The query parameter `patient`, the URL of a clinical Patient; see `withCurrentPatient`. */
export const byPatient = (description: string, column?: PgColumn) =>
  byClinical('patient', 'Patient', description, column)

/** The query parameter `organization`, the URL of a clinical Organization. */
export const byOrganization = (description: string, target?: Target) =>
  byClinical('organization', 'Organization', description, target)

/** A text that is compared unchanged. */
export const byText = <N extends string>(name: N, description: string, target?: Target) =>
  filter(name, text(description), (_ports, sent: string) => sent, matches(target))

/** True or false, or one of the texts of a schema. */
export const byValue = <N extends string, V>(name: N, schema: TSchema, column?: PgColumn) =>
  filter(
    name,
    schema,
    (_ports, sent: V) => sent,
    (value) => column && eq(column, value)
  )

/** A code of a closed value set. */
export const byCode = <N extends string>(name: N, set: LocalValueSet, description: string, target?: Target) =>
  filter(
    name,
    Type.String({ maxLength: 255, 'x-value-set': set, description }),
    (ports, sent: string) => knownCode(ports, set, name, sent),
    matches(target)
  )

/** Codes of a closed value set, repeated or separated by commas. */
export const byCodes = <N extends string, C extends string = string>(
  name: N,
  set: LocalValueSet,
  description: string,
  column?: PgColumn
) =>
  filter(
    name,
    Type.Array(Type.String({ maxLength: 255, 'x-value-set': set }), {
      maxItems: 20,
      description: `${description} Several are repeated or separated by commas.`,
      collectionFormat: 'multi'
    }),
    (ports, sent: string[]) => {
      const texts = sent.flatMap((each) => each.split(','))
      return [...new Set(texts.map((each) => knownCode(ports, set, name, each.trim()) as C))]
    },
    (codes) => column && isOneOf(column, codes)
  )

function knownCode({ terminology }: FilterPorts, set: LocalValueSet, name: string, sent: string): string {
  const code = terminology.code(set, sent)
  if (code !== undefined) return code
  throw queryProblem(name, fill(filterTexts.unknownCode, { codes: oneOfSet(terminology.localSet(set)) }))
}

/** A time with which all of the columns are compared. */
const byTime =
  (parse: typeof startOfRange, compare: typeof gte) =>
  <N extends string>(name: N, description: string, ...columns: PgColumn[]) =>
    filter(
      name,
      text(description, 255),
      (ports, sent: string) => parse(ports, name, sent),
      (value) => and(...columns.map((column) => compare(column, sql`${value}::timestamptz`)))
    )

/** The first day of a range, or a first instant. */
export const byRangeStart = byTime(startOfRange, gte)

/** Like {@link byRangeStart}, for periods that end after this time. */
export const byRangeStartOfPeriods = byTime(startOfRange, gt)

/** The last day of a range, or an exclusive end instant. */
export const byRangeEnd = byTime(endOfRange, lt)

const words = (texts: string) =>
  Type.Optional(text(`Words in ${texts}; all must match. ${searchRuleText} ${searchLimitText}`))

/**
 * The query parameter `q`: words of the texts from which PostgreSQL makes the column `words`.
 * @param texts the texts that are searched, in a sentence.
 */
export const byWords = (texts: string, table: PgTable): Filter<{ q?: string }, WordParams> => ({
  name: 'q',
  schema: words(texts),
  parse: (_ports, { q }) => wordParams(searchPatterns(q)),
  where: (values) => wordsMatch(table, values)
})

/** Like {@link byWords}, for a column with the texts in folded form. */
export const byWordsIn = (
  texts: string,
  column: PgColumn
): Filter<{ q?: string }, Pick<WordParams, 'words'>> => ({
  name: 'q',
  schema: words(texts),
  parse: (_ports, { q }) => ({ words: searchPatterns(q) }),
  where: ({ words }) => words && likeAll(column, words)
})
