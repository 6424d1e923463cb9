import {
  codingsOfExpansion,
  codingsOfSystem,
  type DisplayedCoding,
  distinctCodings,
  toCodings
} from './concepts.js'
import type { Include, ValueSetDocument } from './fhir.js'
import { type FolderResources, type LocatedResource, valueSetName } from './files.js'

/** The distinct codings of a ValueSet. Undefined, with errors added, if the set is unusable. */
type Expand = (set: LocatedResource<ValueSetDocument>) => DisplayedCoding[] | undefined

/**
 * Expands ValueSets (https://hl7.org/fhir/R4/valueset.html#compositions), except filters, excludes,
 * intersections and versions. If `compose` is not usable, a complete `expansion` is used instead.
 * @param isOwn whether a URL is below the base of the project's own sets, which are found by name.
 * @param errors receives the errors of unusable ValueSets.
 */
export function createExpander(
  resources: FolderResources,
  isOwn: (url: string) => boolean,
  errors: string[]
): Expand {
  const { sets, systems } = resources
  const expanded = new Map<string, DisplayedCoding[] | undefined>()
  /** URLs of the sets being expanded, outermost first. */
  const path: string[] = []

  function expand({ location, document }: LocatedResource<ValueSetDocument>): DisplayedCoding[] | undefined {
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
    const included = compose.include.map((part, index) =>
      select(part, language, (error) => void setErrors.push(`compose.include[${index}] ${error}`))
    )
    if (compose.exclude === undefined && !included.includes(undefined))
      return included.flatMap((each = []) => each)
    if (compose.exclude !== undefined) setErrors.push(`compose.exclude selects codes to omit, ${REMEDY}`)
    return undefined
  }

  /** The codings of an include: listed, of a whole system, or of another set. */
  function select(
    part: Include,
    language: string | undefined,
    reject: Reject
  ): DisplayedCoding[] | undefined {
    const { system, concept, valueSet: [set] = [] } = part
    const unsupported = unsupportedIn(part)
    if (unsupported) return reject(`has ${unsupported}, ${REMEDY}`)
    if (system !== undefined)
      return concept ? toCodings(system, concept, language) : wholeSystem(system, reject)
    if (concept) return reject('has concepts without a system; add it')
    return set === undefined
      ? reject('has neither a system nor a valueSet; add one')
      : referencedSet(set, reject)
  }

  function wholeSystem(system: string, reject: Reject): DisplayedCoding[] | undefined {
    const found = systems.find(({ document }) => document.url === system)
    const selects = `selects all codes of ${system}`
    if (!found)
      return reject(`${selects}, but its CodeSystem is missing; add it, or list the codes as concept`)
    return (
      codingsOfSystem(found.document) ??
      reject(`${selects}, but ${found.location} does not contain all; list the codes as concept`)
    )
  }

  function referencedSet(url: string, reject: Reject): DisplayedCoding[] | undefined {
    const found =
      sets.find(({ document }) => document.url === url) ??
      (isOwn(url) ? sets.find(({ document }) => valueSetName(document.url) === valueSetName(url)) : undefined)
    if (!found) return reject(`refers to the value set ${url}, which is missing; add it, or correct the URL`)
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

const REMEDY = 'which only a terminology server can apply; list the codes as concept, or add the expansion'

function unsupportedIn({
  system,
  version,
  concept,
  filter = [],
  valueSet = []
}: Include): string | undefined {
  if (filter.length > 0) return 'a filter'
  if (valueSet.length > (system === undefined ? 1 : 0)) return 'an intersection'
  const isVersioned = version !== undefined || valueSet.some((url) => url.includes('|'))
  return isVersioned && !concept ? 'a version' : undefined
}
