import { type Language, languages } from '../platform/errors/language.js'
import { languageOf } from '../platform/headers/negotiation.js'
import type { Coding } from '../platform/schemas/schemas.js'
import type { CodeSystemDocument, ValueSetDocument } from './fhir.js'

export interface DisplayedCoding extends Coding {
  displays: Partial<Record<Language, string>>
}

/**
 * A concept of FHIR: its display is in the language of its resource, and designations are in other
 * languages.
 */
interface Displayed {
  display?: string
  designation?: readonly { language?: string; value: string }[]
}

function toCoding(
  system: string,
  code: string,
  { display, designation = [] }: Displayed,
  resourceLanguage: string | undefined
): DisplayedCoding {
  const given = [...designation, { language: resourceLanguage, value: display }]
  const displays = Object.fromEntries(
    languages
      .map((language) => [language, given.find((each) => languageOf(each.language) === language)?.value])
      .filter(([, text]) => text !== undefined)
  )
  return { system, code, display: display ?? null, displays }
}

/** The codings without duplicates. The first of equal codings stays. */
export function distinctCodings(codings: readonly DisplayedCoding[]): DisplayedCoding[] {
  const distinct = new Map<string, DisplayedCoding>()
  for (const coding of codings) {
    const key = `${coding.system}|${coding.code}`
    if (!distinct.has(key)) distinct.set(key, coding)
  }
  return [...distinct.values()]
}

export const toCodings = (
  system: string,
  concepts: readonly (Displayed & { code: string })[],
  language: string | undefined
): DisplayedCoding[] => concepts.map((each) => toCoding(system, each.code, each, language))

/**
 * All codings of a CodeSystem, including child concepts. Undefined if it does not contain all its
 * codes.
 */
export function codingsOfSystem(system: CodeSystemDocument): DisplayedCoding[] | undefined {
  const { url, language, content, concept } = system
  const isComplete = content === undefined || content === 'complete'
  return isComplete && concept ? toCodings(url, flatten(concept, 'concept'), language) : undefined
}

/** The codings of an expansion. Undefined, with an error added, if it is only one page. */
export function codingsOfExpansion(
  { total, offset = 0, contains = [] }: NonNullable<ValueSetDocument['expansion']>,
  errors: string[],
  language: string | undefined
): DisplayedCoding[] | undefined {
  const entries = flatten(contains, 'contains')
  if (offset > 0 || (total !== undefined && total > entries.length)) {
    errors.push(`expansion has ${entries.length} of ${total ?? 'more'} codes; put the whole expansion there`)
    return undefined
  }
  return entries.flatMap(({ system, code, ...displayed }) =>
    system === undefined || code === undefined ? [] : [toCoding(system, code, displayed, language)]
  )
}

/** The elements of a list, each followed by its descendants. */
const flatten = <Name extends string, Node extends { [name in Name]?: Node[] }>(
  nodes: readonly Node[],
  below: Name
): Node[] => nodes.flatMap((each) => [each, ...flatten(each[below] ?? [], below)])
