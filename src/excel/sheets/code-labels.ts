import type { Coding } from '../../platform/schemas/schemas.js'
import type { LocalValueSet } from '../../terminology/local-value-sets.js'
import type { Terminology } from '../../terminology/terminology.js'

type Codes = Pick<Terminology, 'codes' | 'coding' | 'choices'>

const codingsOf = (terminology: Codes, set: LocalValueSet): Coding[] =>
  terminology.codes(set).map((code) => terminology.coding(set, code))

/** The text of a cell for a code: its display text if that is unambiguous, else the code. */
export const formatCode = (terminology: Codes, set: LocalValueSet, code: string): string =>
  labelOf(codingsOf(terminology, set), terminology.coding(set, code)) ?? code

/** The entries of the drop-down list for a value set. */
export const formatCodes = (terminology: Codes, set: LocalValueSet): string[] =>
  terminology.codes(set).map((code) => formatCode(terminology, set, code))

/**
 * Finds a code by the code itself or its display text, ignoring case; undefined if there is none.
 */
export const parseCode = (terminology: Codes, set: LocalValueSet, text: string): string | undefined =>
  findByLabel(codingsOf(terminology, set), text)?.code

/**
 * The text of a cell for the value of an annotation; `system|code` if nothing shorter is
 * unambiguous.
 */
export const formatCodedValue = (terminology: Codes, name: string, coding: Coding): string =>
  labelOf(terminology.choices(name), coding) ?? `${coding.system}|${coding.code}`

/** Parses the value of an annotation with this name; undefined if it is unknown or ambiguous. */
export function parseCodedValue(
  terminology: Codes,
  name: string,
  text: string
): { system: string; code: string } | undefined {
  const known = findByLabel(terminology.choices(name), text)
  if (known) return known
  // A code may contain a bar; a system cannot.
  const bar = text.indexOf('|')
  return bar > 0 && bar < text.length - 1
    ? { system: text.slice(0, bar).trim(), code: text.slice(bar + 1).trim() }
    : undefined
}

/** The display text or code, whichever identifies this coding first; undefined if neither does. */
function labelOf(codings: readonly Coding[], { system, code, display }: Coding): string | undefined {
  return (
    [display, code].find((text) => {
      const found = text ? findByLabel(codings, text) : undefined
      return found?.system === system && found.code === code
    }) ?? undefined
  )
}

function findByLabel(codings: readonly Coding[], text: string): Coding | undefined {
  const wanted = text.trim().toLowerCase()
  const found = codings.filter(
    ({ code, display }) => code.toLowerCase() === wanted || display?.trim().toLowerCase() === wanted
  )
  return found.length === 1 ? found[0] : undefined
}
