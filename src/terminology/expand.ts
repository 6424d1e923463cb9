import {
  codingKey,
  codingsOfExpansion,
  codingsOfSystem,
  type DisplayedCoding,
  distinctCodings,
  toCodings
} from './concepts.js'
import type { Include, ValueSetDocument } from './fhir.js'
import { type Located, type Resources, valueSetName } from './files.js'

/** The distinct codings of a ValueSet. Undefined, with errors added, if it is not usable. */
type Expand = (set: Located<ValueSetDocument>) => DisplayedCoding[] | undefined

/**
 * Expands ValueSets (https://hl7.org/fhir/R4/valueset.html#compositions), except filters, which
 * need a terminology server. If `compose` is not usable, a complete `expansion` is used instead.
 * @param isOwn whether a URL is below the base of the project's own sets, which are found by name.
 * @param errors receives the errors of unusable ValueSets.
 */
export function createExpander(
  resources: Resources,
  isOwn: (url: string) => boolean,
  errors: string[]
): Expand {
  const { sets, systems } = resources
  const expanded = new Map<string, DisplayedCoding[] | undefined>()
  /** URLs of the sets being expanded, outermost first. */
  const path: string[] = []

  function expand({ location, document }: Located<ValueSetDocument>): DisplayedCoding[] | undefined {
    const { url, language, expansion } = document
    if (expanded.has(url)) return expanded.get(url)
    path.push(url)
    const setErrors: string[] = []
    const codings =
      expandCompose(document, setErrors) ?? (expansion && codingsOfExpansion(expansion, setErrors, language))
    path.pop()
    if (codings?.length === 0) setErrors.push('it has no codes; list some in compose.include')
    const usable = codings?.length ? distinctCodings(codings) : undefined
    if (!usable) errors.push(...setErrors.map((error) => `${location}, ${url}: ${error}`))
    expanded.set(url, usable)
    return usable
  }

  function expandCompose(
    { compose, expansion, language }: ValueSetDocument,
    setErrors: string[]
  ): DisplayedCoding[] | undefined {
    if (!compose) {
      if (!expansion)
        setErrors.push('it has neither compose nor expansion; list its codes in compose.include')
      return undefined
    }
    const { include, exclude = [] } = compose
    const included = include.map((part, index) =>
      select(part, language, `compose.include[${index}]`, setErrors)
    )
    const excluded = exclude.map((part, index) =>
      select(part, language, `compose.exclude[${index}]`, setErrors)
    )
    if ([...included, ...excluded].includes(undefined)) return undefined
    const excludedKeys = new Set(excluded.flatMap((codings = []) => codings.map(codingKey)))
    return included.flatMap((codings = []) =>
      codings.filter((coding) => !excludedKeys.has(codingKey(coding)))
    )
  }

  /**
   * The codings of an include or exclude: the intersection of its system and all its value sets.
   */
  function select(
    part: Include,
    language: string | undefined,
    pointer: string,
    setErrors: string[]
  ): DisplayedCoding[] | undefined {
    const { system, concept, filter = [], valueSet = [] } = part
    const reject = (error: string) => void setErrors.push(`${pointer} ${error}`)
    if (filter.length > 0)
      return reject(
        'has a filter, which only a terminology server can apply; list the codes as concept, or add the expansion'
      )
    if (system === undefined && (concept || valueSet.length === 0))
      return reject(
        concept ? 'has concepts without a system; add it' : 'has neither a system nor a valueSet; add one'
      )
    const lists = [
      ...(system === undefined
        ? []
        : [concept ? toCodings(system, concept, language) : wholeSystem(system, part, reject)]),
      ...valueSet.map((canonical) => referencedSet(canonical, reject))
    ]
    if (lists.includes(undefined)) return undefined
    const [first = [], ...others] = lists as DisplayedCoding[][]
    const keys = others.map((codings) => new Set(codings.map(codingKey)))
    return first.filter((coding) => keys.every((each) => each.has(codingKey(coding))))
  }

  function wholeSystem(system: string, { version }: Include, reject: Reject): DisplayedCoding[] | undefined {
    const found = systems.find(({ document }) => document.url === system)
    const selects = `selects all codes of ${system}`
    if (!found)
      return reject(`${selects}, but its CodeSystem is missing; add it, or list the codes as concept`)
    const mismatch = versionMismatch(found, version)
    if (mismatch) return reject(`${selects} in version ${version}; ${mismatch}`)
    const codings = codingsOfSystem(found.document)
    if (!codings)
      return reject(`${selects}, but ${found.location} does not contain all; list the codes as concept`)
    return codings
  }

  /** The codings of another set, by its canonical: `url` or `url|version`. */
  function referencedSet(canonical: string, reject: Reject): DisplayedCoding[] | undefined {
    const [url = '', version] = canonical.split('|')
    const found =
      sets.find(({ document }) => document.url === url) ??
      (isOwn(url) ? sets.find(({ document }) => valueSetName(document.url) === valueSetName(url)) : undefined)
    if (!found) return reject(`refers to the value set ${url}, which is missing; add it, or correct the URL`)
    const mismatch = versionMismatch(found, version)
    if (mismatch) return reject(`refers to version ${version} of ${url}; ${mismatch}`)
    const start = path.indexOf(found.document.url)
    if (start >= 0) {
      const cycle = [...path.slice(start), found.document.url].join(' > ')
      return reject(`is part of a cycle, ${cycle}; remove one of these references`)
    }
    return expand(found)
  }

  return expand
}

/** Adds an error of an include. */
type Reject = (error: string) => undefined

/**
 * The error of a resource that exists only in another version; undefined if the version matches.
 */
function versionMismatch(
  { location, document: { version } }: Located<{ version?: string }>,
  expected: string | undefined
): string | undefined {
  return expected === undefined || version === undefined || version === expected
    ? undefined
    : `${location} has version ${version}; add the right one, or omit the version`
}
