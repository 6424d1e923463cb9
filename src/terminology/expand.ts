import type { Coding } from '../platform/schemas/schemas.js'
import { codingsOfExpansion, codingsOfSystem, keyOf, listed, once } from './concepts.js'
import type { Include, ValueSetDocument } from './fhir.js'
import { nameOf, type Placed, type Resources } from './files.js'

/** The codings of a ValueSet, each once; undefined where it is not usable, which has been told. */
type Expand = (set: Placed<ValueSetDocument>) => Coding[] | undefined

/**
 * Expands ValueSets as https://hl7.org/fhir/R4/valueset.html#compositions tells, but for filters, which need a terminology server.
 * A ValueSet whose `compose` cannot be used is taken by its `expansion`, where it has a whole one.
 * @param isOwn whether an address lies under the base of the project's own sets, which are found by their names.
 */
export function createExpander(
  resources: Resources,
  isOwn: (url: string) => boolean,
  faults: string[]
): Expand {
  const { sets, systems } = resources
  const known = new Map<string, Coding[] | undefined>()
  const under: string[] = []

  function expand({ place, document }: Placed<ValueSetDocument>): Coding[] | undefined {
    const { url, expansion } = document
    if (known.has(url)) return known.get(url)
    under.push(url)
    const wrong: string[] = []
    const codings = composed(document, wrong) ?? (expansion && codingsOfExpansion(expansion, wrong))
    under.pop()
    if (codings?.length === 0) wrong.push('it holds no codes; list some in compose.include')
    const usable = codings?.length ? once(codings) : undefined
    if (!usable) faults.push(...wrong.map((fault) => `${place}, ${url}: ${fault}`))
    known.set(url, usable)
    return usable
  }

  function composed({ compose, expansion }: ValueSetDocument, wrong: string[]): Coding[] | undefined {
    if (!compose) {
      if (!expansion) wrong.push('it has neither compose nor expansion; list its codes in compose.include')
      return undefined
    }
    const { include, exclude = [] } = compose
    const included = include.map((part, at) => selected(part, `compose.include[${at}]`, wrong))
    const excluded = exclude.map((part, at) => selected(part, `compose.exclude[${at}]`, wrong))
    if ([...included, ...excluded].includes(undefined)) return undefined
    const without = new Set(excluded.flatMap((codings = []) => codings.map(keyOf)))
    return included.flatMap((codings = []) => codings.filter((coding) => !without.has(keyOf(coding))))
  }

  /** What an include, or an exclude, selects: what its system and all of its value sets have in common. */
  function selected(part: Include, at: string, wrong: string[]): Coding[] | undefined {
    const { system, concept, filter = [], valueSet = [] } = part
    const refuse = (fault: string) => void wrong.push(`${at} ${fault}`)
    if (filter.length > 0)
      return refuse(
        'has a filter, which only a terminology server can apply; list the codes as concept, or add the expansion'
      )
    if (system === undefined && (concept || valueSet.length === 0))
      return refuse(
        concept ? 'has concepts without a system; add it' : 'names neither a system nor a valueSet'
      )
    const lists = [
      ...(system === undefined ? [] : [concept ? listed(system, concept) : whole(system, part, refuse)]),
      ...valueSet.map((canonical) => referred(canonical, refuse))
    ]
    if (lists.includes(undefined)) return undefined
    const [first = [], ...others] = lists as Coding[][]
    const keys = others.map((codings) => new Set(codings.map(keyOf)))
    return first.filter((coding) => keys.every((each) => each.has(keyOf(coding))))
  }

  function whole(system: string, { version }: Include, refuse: Refuse): Coding[] | undefined {
    const found = systems.find(({ document }) => document.url === system)
    const takes = `takes all codes of ${system}`
    if (!found) return refuse(`${takes}, whose CodeSystem is not there; add it, or list the codes as concept`)
    const other = otherVersion(found, version)
    if (other) return refuse(`${takes} in version ${version}; ${other}`)
    const codings = codingsOfSystem(found.document)
    if (!codings)
      return refuse(`${takes}, and ${found.place} does not hold them all; list the codes as concept`)
    return codings
  }

  /** The codings of another set, by its canonical address: `url` or `url|version`. */
  function referred(canonical: string, refuse: Refuse): Coding[] | undefined {
    const [url = '', version] = canonical.split('|')
    const found =
      sets.find(({ document }) => document.url === url) ??
      (isOwn(url) ? sets.find(({ document }) => nameOf(document.url) === nameOf(url)) : undefined)
    if (!found)
      return refuse(`takes the value set ${url}, which is not there; add it, or correct the address`)
    const other = otherVersion(found, version)
    if (other) return refuse(`takes version ${version} of ${url}; ${other}`)
    const begin = under.indexOf(found.document.url)
    if (begin >= 0) {
      const circle = [...under.slice(begin), found.document.url].join(' > ')
      return refuse(`leads in a circle, ${circle}; take one of these references out`)
    }
    return expand(found)
  }

  return expand
}

/** Tells what is wrong with an include. */
type Refuse = (fault: string) => undefined

/** That a resource is there in another version than the one asked for; undefined where it is not so. */
function otherVersion(
  { place, document: { version } }: Placed<{ version?: string }>,
  wanted: string | undefined
): string | undefined {
  return wanted === undefined || version === undefined || version === wanted
    ? undefined
    : `${place} has version ${version}; add the right one, or drop the version`
}
