import type { Language } from '../../platform/errors/language.js'
import type { Coding } from '../../platform/schemas/schemas.js'
import type { DisplayedCoding } from '../../terminology/concepts.js'
import type { LocalValueSet } from '../../terminology/local-value-sets.js'
import type { Terminology } from '../../terminology/terminology.js'

type Codes = Pick<Terminology, 'localSet' | 'annotationSet'>

/**
 * The text of a cell for a code: its display text in the language if the text is unambiguous,
 * otherwise the code.
 */
export function formatCode(terminology: Codes, set: LocalValueSet, code: string, language: Language): string {
  const codings = terminology.localSet(set).displayed
  const coding = codings.find((each) => each.code === code)
  return (coding && labelOf(codings, coding, language)) ?? code
}

/** The entries of the drop-down list for a value set. */
export const formatCodes = (terminology: Codes, set: LocalValueSet, language: Language): string[] =>
  terminology.localSet(set).displayed.map(({ code }) => formatCode(terminology, set, code, language))

/**
 * Finds a code by the code itself or its display text in any language, ignoring case; undefined if
 * none matches.
 */
export const parseCode = (terminology: Codes, set: LocalValueSet, text: string): string | undefined =>
  findByLabel(terminology.localSet(set).displayed, text)?.code

/**
 * The text of a cell for the value of an annotation; `system|code` if nothing shorter is
 * unambiguous.
 */
export function formatCodedValue(
  terminology: Codes,
  name: string,
  { system, code, display }: Coding,
  language: Language
): string {
  const choices = terminology.annotationSet(name).displayed
  const known = choices.find((each) => each.system === system && each.code === code)
  return labelOf(choices, known ?? { system, code, display, displays: {} }, language) ?? `${system}|${code}`
}

/** Parses the value of an annotation with this name; undefined if it is unknown or ambiguous. */
export function parseCodedValue(
  terminology: Codes,
  name: string,
  text: string
): { system: string; code: string } | undefined {
  const known = findByLabel(terminology.annotationSet(name).displayed, text)
  if (known) return { system: known.system, code: known.code }
  // A code may contain a bar; a system cannot.
  const bar = text.indexOf('|')
  return bar > 0 && bar < text.length - 1
    ? { system: text.slice(0, bar).trim(), code: text.slice(bar + 1).trim() }
    : undefined
}

/** The display text or code, whichever identifies this coding first; undefined if neither does. */
function labelOf(
  codings: readonly DisplayedCoding[],
  { system, code, display, displays }: DisplayedCoding,
  language: Language
): string | undefined {
  return (
    [displays[language], display, code].find((text) => {
      const found = text ? findByLabel(codings, text) : undefined
      return found?.system === system && found.code === code
    }) ?? undefined
  )
}

function findByLabel(codings: readonly DisplayedCoding[], text: string): DisplayedCoding | undefined {
  const wanted = text.trim().toLowerCase()
  const found = codings.filter(({ code, display, displays }) =>
    [code, display, ...Object.values(displays)].some((each) => each?.trim().toLowerCase() === wanted)
  )
  return found.length === 1 ? found[0] : undefined
}
