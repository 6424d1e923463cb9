import type { FieldErrors } from '../../platform/errors/field-errors.js'
import type { Identifier } from '../../platform/schemas/schemas.js'
import { identifierValueKey, normalizeNumber } from '../../platform/text/numbers.js'
import { withoutControlCharacters } from '../../platform/text/without-control-characters.js'
import { catalogueProblem } from '../problems.js'
import { type ItemReference, preferStoredText } from './catalogue-content.js'

/** Separates texts in keys. No text of a sheet contains this character. */
export const SEPARATOR = '\0'

/**
 * A key that is equal for equal identifiers: GTINs may differ in leading zeros. Control characters
 * do not count, because no sheet shows them.
 */
export const identifierKey = ({ system, value }: ItemReference) =>
  normalizeNumber(withoutControlCharacters(system)) +
  SEPARATOR +
  identifierValueKey(withoutControlCharacters(value))

/** The identifiers that a sheet shows, without empty ones. */
export const nonEmptyIdentifiers = (identifiers: readonly Identifier[]): Identifier[] =>
  identifiers.filter(({ system, value, assigner }) =>
    [system, value, assigner].some((text) => withoutControlCharacters(text) !== '')
  )

const identifierWithAssignerKey = (identifier: Identifier) =>
  `${identifierKey(identifier)}${SEPARATOR}${withoutControlCharacters(identifier.assigner)}`

export const identifiersKey = (identifiers: readonly Identifier[]): string =>
  nonEmptyIdentifiers(identifiers).map(identifierWithAssignerKey).join(SEPARATOR)

/**
 * Adds stored identifiers to the sent identifiers if the sheet lacks columns for them: the last
 * identifiers that were not sent, one for each missing column. If only known identifiers were sent,
 * the stored order is kept.
 * @param columnCount number of identifiers for which the sheet has columns.
 */
export function keepHiddenIdentifiers(
  before: readonly Identifier[],
  sent: readonly Identifier[],
  columnCount: number
): Identifier[] {
  const others = [...before]
  const shown = new Map<Identifier, Identifier>()
  for (const each of sent) {
    const at = others.findIndex((other) => identifierKey(other) === identifierKey(each))
    for (const known of at < 0 ? [] : others.splice(at, 1)) shown.set(known, each)
  }
  const excess = Math.max(0, before.length - columnCount)
  const further = excess > 0 ? others.slice(-excess) : []
  if (further.length === 0 || shown.size < sent.length) return [...sent, ...further]
  return before.flatMap((each) => shown.get(each) ?? (further.includes(each) ? each : []))
}

/**
 * The stored identifiers if they equal the sent identifiers; otherwise the sent identifiers with
 * the stored spelling.
 */
export function mergeIdentifiers(
  before: readonly Identifier[] = [],
  sent: readonly Identifier[]
): Identifier[] {
  if (identifiersKey(before) === identifiersKey(sent)) return [...before]
  const byKey = new Map(before.map((each) => [identifierKey(each), each]))
  return sent.map((each) => {
    const known = byKey.get(identifierKey(each))
    return known ? { ...known, assigner: preferStoredText(known.assigner, each.assigner) } : each
  })
}

/** An identifier may lack its system or value only if the stored one does. */
export function validateIdentifiers(
  errors: FieldErrors,
  before: readonly Identifier[] = [],
  sent: readonly Identifier[],
  pointer: string
): void {
  const known = new Set(before.map(identifierKey))
  for (const [nth, identifier] of sent.entries())
    for (const part of ['system', 'value'] as const)
      if (identifier[part] === '' && !known.has(identifierKey(identifier)))
        errors.add(catalogueProblem('text-required.ofIdentifier', `${pointer}/identifiers/${nth}/${part}`))
}
