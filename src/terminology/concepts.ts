import type { Coding } from '../platform/schemas/schemas.js'
import { type Language, languageOf, languages } from '../platform/util/accept-language.js'
import type { CodeSystemDocument, Concept, Contains, ValueSetDocument } from './fhir.js'

/** Equal for codings with the same system and code. */
export const codingKey = ({ system, code }: { system: string; code: string }) => `${system}|${code}`

/** A coding with its displays by language. */
export interface DisplayedCoding extends Coding {
  displays: Partial<Record<Language, string>>
}

/** A concept of FHIR: its display is in the language of its resource, designations in others. */
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

/** The codings without duplicates. The first of each is kept. */
export function distinctCodings(codings: readonly DisplayedCoding[]): DisplayedCoding[] {
  const distinct = new Map<string, DisplayedCoding>()
  for (const coding of codings) if (!distinct.has(codingKey(coding))) distinct.set(codingKey(coding), coding)
  return [...distinct.values()]
}

/** The codings of concepts of a system. */
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
  return isComplete && concept ? toCodings(url, selectable(concept), language) : undefined
}

/** The concepts and their children, without abstract concepts, which only group others. */
function selectable(concepts: readonly Concept[]): Concept[] {
  return concepts.flatMap((each) => {
    const isAbstract = each.property?.some((one) => one.code === 'notSelectable' && one.valueBoolean === true)
    return [...(isAbstract ? [] : [each]), ...selectable(each.concept ?? [])]
  })
}

/** The codings of an expansion. Undefined, with an error added, if it is only one page. */
export function codingsOfExpansion(
  { total, offset = 0, contains = [] }: NonNullable<ValueSetDocument['expansion']>,
  errors: string[],
  language: string | undefined
): DisplayedCoding[] | undefined {
  const entries = flatten(contains)
  if (offset > 0 || (total !== undefined && total > entries.length)) {
    errors.push(`expansion has ${entries.length} of ${total ?? 'more'} codes; put the whole expansion there`)
    return undefined
  }
  return entries.flatMap(({ system, code, abstract, ...displayed }) =>
    system === undefined || code === undefined || abstract === true
      ? []
      : [toCoding(system, code, displayed, language)]
  )
}

const flatten = (contains: readonly Contains[]): Contains[] =>
  contains.flatMap((each) => [each, ...flatten(each.contains ?? [])])
