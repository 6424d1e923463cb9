import type { Coding } from '../../platform/schemas/schemas.js'
import type { LocalValueSet } from '../../terminology/local-value-sets.js'
import type { Terminology } from '../../terminology/terminology.js'

type Codes = Pick<Terminology, 'codes' | 'coding' | 'choices'>

const codingsOf = (terminology: Codes, set: LocalValueSet): Coding[] =>
  terminology.codes(set).map((code) => terminology.coding(set, code))

/** What a cell says for a code of a set: what it is called where that is clear, else the code. */
export const formatCode = (terminology: Codes, set: LocalValueSet, code: string): string =>
  shown(codingsOf(terminology, set), terminology.coding(set, code)) ?? code

/** What the drop-down list of a set offers. */
export const formatCodes = (terminology: Codes, set: LocalValueSet): string[] =>
  terminology.codes(set).map((code) => formatCode(terminology, set, code))

/** The code that a cell means by its code or by what it is called, in any case; undefined where it is none of the set. */
export const parseCode = (terminology: Codes, set: LocalValueSet, text: string): string | undefined =>
  meant(codingsOf(terminology, set), text)?.code

/** What a cell says for the value of an annotation; `system|code` where only that is clear. */
export const formatCodedValue = (terminology: Codes, name: string, coding: Coding): string =>
  shown(terminology.choices(name), coding) ?? `${coding.system}|${coding.code}`

/** What a cell means for the value of an annotation of this name; undefined where nobody can tell. */
export function parseCodedValue(
  terminology: Codes,
  name: string,
  text: string
): { system: string; code: string } | undefined {
  const known = meant(terminology.choices(name), text)
  if (known) return known
  // A code may hold a bar, a system cannot.
  const bar = text.indexOf('|')
  return bar > 0 && bar < text.length - 1
    ? { system: text.slice(0, bar).trim(), code: text.slice(bar + 1).trim() }
    : undefined
}

/** The shortest text that means this coding among others. */
function shown(codings: readonly Coding[], { system, code, display }: Coding): string | undefined {
  return (
    [display, code].find((text) => {
      const found = text ? meant(codings, text) : undefined
      return found?.system === system && found.code === code
    }) ?? undefined
  )
}

function meant(codings: readonly Coding[], text: string): Coding | undefined {
  const wanted = text.trim().toLowerCase()
  const found = codings.filter(
    ({ code, display }) => code.toLowerCase() === wanted || display?.trim().toLowerCase() === wanted
  )
  return found.length === 1 ? found[0] : undefined
}
