import type { Coding } from '../platform/schemas/schemas.js'
import type { CodeSystemDocument, Concept, Contains, ValueSetDocument } from './fhir.js'

/** Equal for codings with the same system and code. */
export const codingKey = ({ system, code }: { system: string; code: string }) => `${system}|${code}`

/** The codings without duplicates. The first of each is kept. */
export function distinctCodings(codings: readonly Coding[]): Coding[] {
  const distinct = new Map<string, Coding>()
  for (const coding of codings) if (!distinct.has(codingKey(coding))) distinct.set(codingKey(coding), coding)
  return [...distinct.values()]
}

/** The codings of concepts of a system. */
export const toCodings = (
  system: string,
  concepts: readonly { code: string; display?: string }[]
): Coding[] => concepts.map(({ code, display }) => ({ system, code, display: display ?? null }))

/**
 * All codings of a CodeSystem, including child concepts. Undefined if it does not contain all its
 * codes.
 */
export function codingsOfSystem({ url, content, concept }: CodeSystemDocument): Coding[] | undefined {
  const isComplete = content === undefined || content === 'complete'
  return isComplete && concept ? toCodings(url, selectable(concept)) : undefined
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
  errors: string[]
): Coding[] | undefined {
  const entries = flatten(contains)
  if (offset > 0 || (total !== undefined && total > entries.length)) {
    errors.push(`expansion has ${entries.length} of ${total ?? 'more'} codes; put the whole expansion there`)
    return undefined
  }
  return entries.flatMap(({ system, code, display, abstract }) =>
    system === undefined || code === undefined || abstract === true
      ? []
      : [{ system, code, display: display ?? null }]
  )
}

const flatten = (contains: readonly Contains[]): Contains[] =>
  contains.flatMap((each) => [each, ...flatten(each.contains ?? [])])
