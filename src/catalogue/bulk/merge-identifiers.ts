import type { FieldErrors } from '../../platform/errors/problem.js'
import type { Identifier } from '../../platform/schemas/schemas.js'
import { printableText } from '../../platform/util/printable-text.js'
import { catalogueProblem } from '../problems.js'
import { type ItemName, keepIfEqual } from './catalogue-content.js'

/** Stands between texts of a sheet, for it is in none of them. */
export const SEPARATOR = '\0'

/** Stands for an identifier as far as a sheet can tell it from others. */
export const keyOf = ({ system, value }: ItemName) =>
  `${printableText(system)}${SEPARATOR}${printableText(value)}`

/** Those that a sheet shows: of an empty one nothing is left there. */
export const nonEmpty = (identifiers: readonly Identifier[]): Identifier[] =>
  identifiers.filter(({ system, value, assigner }) =>
    [system, value, assigner].some((text) => printableText(text) !== '')
  )

const wholeKeyOf = (identifier: Identifier) =>
  `${keyOf(identifier)}${SEPARATOR}${printableText(identifier.assigner)}`

/** Stands for all of an item's identifiers, as a sheet shows them. */
export const identifiersForm = (identifiers: readonly Identifier[]): string =>
  nonEmpty(identifiers).map(wholeKeyOf).join(SEPARATOR)

/**
 * The identifiers that are meant, where the sheet has room for fewer than there are: those that were sent, and as many of the others
 * as it could not have shown, the last ones. Where nothing but known ones was sent they stay in their order.
 */
export function withFurther(
  before: readonly Identifier[],
  sent: readonly Identifier[],
  room: number
): Identifier[] {
  const others = [...before]
  const shown = new Map<Identifier, Identifier>()
  for (const each of sent) {
    const at = others.findIndex((other) => keyOf(other) === keyOf(each))
    for (const known of at < 0 ? [] : others.splice(at, 1)) shown.set(known, each)
  }
  const excess = Math.max(0, before.length - room)
  const further = excess > 0 ? others.slice(-excess) : []
  if (further.length === 0 || shown.size < sent.length) return [...sent, ...further]
  return before.flatMap((each) => shown.get(each) ?? (further.includes(each) ? each : []))
}

/** The identifiers that are there, where a sheet cannot tell them from those that were sent; else those, in the words of the former. */
export function identifiersAfter(
  before: readonly Identifier[] = [],
  sent: readonly Identifier[]
): Identifier[] {
  if (identifiersForm(before) === identifiersForm(sent)) return [...before]
  const byKey = new Map(before.map((each) => [keyOf(each), each]))
  return sent.map((each) => {
    const known = byKey.get(keyOf(each))
    return known ? { ...known, assigner: keepIfEqual(known.assigner, each.assigner) } : each
  })
}

/** An identifier may lack its system or its value only where it does so already. */
export function assertWholeIdentifiers(
  faults: FieldErrors,
  before: readonly Identifier[] = [],
  sent: readonly Identifier[],
  pointer: string
): void {
  const known = new Set(before.map(keyOf))
  for (const [nth, identifier] of sent.entries())
    for (const part of ['system', 'value'] as const)
      if (identifier[part] === '' && !known.has(keyOf(identifier)))
        faults.add(
          catalogueProblem,
          'text-required',
          `${pointer}/identifiers/${nth}/${part}`,
          'An identifier has a system and a value. Fill in both, or empty both.'
        )
}
