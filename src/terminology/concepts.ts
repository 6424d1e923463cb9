import type { Coding } from '../platform/schemas/schemas.js'
import type { CodeSystemDocument, Concept, Contains, ValueSetDocument } from './fhir.js'

/** A coding as a key: two codings with the same one are the same. */
export const keyOf = ({ system, code }: { system: string; code: string }) => `${system}|${code}`

/** Each coding once, where it first stands. */
export function once(codings: readonly Coding[]): Coding[] {
  const seen = new Map<string, Coding>()
  for (const coding of codings) if (!seen.has(keyOf(coding))) seen.set(keyOf(coding), coding)
  return [...seen.values()]
}

/** Concepts that are listed by their code. */
export const listed = (system: string, concepts: readonly { code: string; display?: string }[]): Coding[] =>
  concepts.map(({ code, display }) => ({ system, code, display: display ?? null }))

/** All codings of a CodeSystem, also those below others; undefined where it does not hold all its codes. */
export function codingsOfSystem({ url, content, concept }: CodeSystemDocument): Coding[] | undefined {
  const isComplete = content === undefined || content === 'complete'
  return isComplete && concept ? listed(url, selectable(concept)) : undefined
}

/** Concepts with those below them; one that only groups others cannot be chosen. */
function selectable(concepts: readonly Concept[]): Concept[] {
  return concepts.flatMap((each) => {
    const groups = each.property?.some((one) => one.code === 'notSelectable' && one.valueBoolean === true)
    return [...(groups ? [] : [each]), ...selectable(each.concept ?? [])]
  })
}

/** The codings of an expansion that somebody else has made; undefined, and told, where it is only a part of one. */
export function codingsOfExpansion(
  { total, offset = 0, contains = [] }: NonNullable<ValueSetDocument['expansion']>,
  faults: string[]
): Coding[] | undefined {
  const entries = everyEntry(contains)
  if (offset > 0 || (total !== undefined && total > entries.length)) {
    faults.push(`expansion has ${entries.length} of ${total ?? 'more'} codes; put the whole expansion there`)
    return undefined
  }
  return entries.flatMap(({ system, code, display, abstract }) =>
    system === undefined || code === undefined || abstract === true
      ? []
      : [{ system, code, display: display ?? null }]
  )
}

const everyEntry = (contains: readonly Contains[]): Contains[] =>
  contains.flatMap((each) => [each, ...everyEntry(each.contains ?? [])])
