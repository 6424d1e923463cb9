import type { Coding } from '../platform/schemas/schemas.js'
import { BUILT_IN_BASE, builtInResources } from './built-in-sets.js'
import type { DisplayedCoding } from './concepts.js'
import { createExpander } from './expand.js'
import type { ValueSetDocument } from './fhir.js'
import { type FolderResources, readFolder, valueSetName } from './files.js'
import { localValueSets } from './local-value-sets.js'

export interface ValueSet {
  name: string
  url: string
  codings: readonly Coding[]
  /** The codings with their displays by language. */
  displayed: readonly DisplayedCoding[]
  /**
   * The coding in the spelling of the set. Codes of the project's own systems are not
   * case-sensitive.
   */
  find(system: string, code: string): Coding | undefined
}

/** The value sets are not usable. The message has every error of every file, one per line. */
export class ValueSetsError extends Error {
  override readonly name = 'ValueSetsError'
  constructor(
    folder: string,
    readonly errors: readonly string[]
  ) {
    super(
      `The value sets in ${folder} (VALUESETS_DIR) are not usable:\n${errors.map((each) => `  ${each}`).join('\n')}`
    )
  }
}

/**
 * Reads the built-in value sets and those of a folder, which replace built-in sets with the same
 * name: the last segment of the URL. A set whose system has the URL of the set belongs to the
 * project: set and system get the URL `{base}/<name>`.
 * @throws ValueSetsError with all errors.
 */
export function readValueSets(base: string, folder?: string): Map<string, ValueSet> {
  const errors: string[] = []
  const builtIn = builtInResources()
  const defaults = valueSets(builtIn, base, errors)
  if (folder === undefined) return defaults
  const resources = merge(builtIn, readFolder(folder, errors))
  const sets = valueSets(resources, base, errors)
  for (const { location, document } of resources.sets) {
    const name = valueSetName(document.url)
    const [given, builtInSet] = [sets.get(name), defaults.get(name)]
    if (given && builtInSet && isLocal(name))
      errors.push(
        ...localSetErrors(given, builtInSet).map((error) => `${location}, ${document.url}: ${error}`)
      )
  }
  if (errors.length > 0) throw new ValueSetsError(folder, errors)
  return sets
}

const isLocal = (name: string) => (localValueSets as readonly string[]).includes(name)

/** All resources. Sets of `overrides` replace sets of `base` with the same name. */
function merge(base: FolderResources, overrides: FolderResources): FolderResources {
  const names = new Set(overrides.sets.map(({ document }) => valueSetName(document.url)))
  return {
    sets: [...base.sets.filter(({ document }) => !names.has(valueSetName(document.url))), ...overrides.sets],
    systems: [...base.systems, ...overrides.systems]
  }
}

function valueSets(resources: FolderResources, base: string, errors: string[]): Map<string, ValueSet> {
  const isOwn = (url: string) => [base, BUILT_IN_BASE].some((each) => url.startsWith(`${each}/`))
  const expand = createExpander(resources, isOwn, errors)
  const owned = new Map(
    resources.sets
      .filter(({ document }) => isProjectOwned(document))
      .map(({ document: { url } }) => [url, `${base}/${valueSetName(url)}`])
  )
  return new Map(
    resources.sets.map((each) => {
      const name = valueSetName(each.document.url)
      const codings = (expand(each) ?? []).map((coding) => ({
        ...coding,
        system: owned.get(coding.system) ?? coding.system
      }))
      return [name, valueSet(name, codings, base)]
    })
  )
}

const isProjectOwned = ({ url, compose, expansion }: ValueSetDocument) =>
  [...(compose?.include ?? []), ...(expansion?.contains ?? [])].some(({ system }) => system === url)

function valueSet(name: string, displayed: DisplayedCoding[], base: string): ValueSet {
  const codings = displayed.map(({ system, code, display }): Coding => ({ system, code, display }))
  const key = (system: string, code: string) =>
    `${system}|${system.startsWith(`${base}/`) ? code.toLowerCase() : code}`
  const byKey = new Map(codings.map((coding) => [key(coding.system, coding.code), coding]))
  return {
    name,
    url: `${base}/${name}`,
    codings,
    displayed,
    find: (system, code) => byKey.get(key(system, code))
  }
}

/** Errors of a replaced local set. A site may change its displays, but not its codes. */
function localSetErrors(given: ValueSet, builtIn: ValueSet): string[] {
  const foreign = given.codings.find(({ system }) => system !== given.url)
  if (foreign)
    return [`the program acts on its codes: their system must be the set's own url, not ${foreign.system}`]
  const codeListOf = (set: ValueSet) => set.codings.map(({ code }) => code).sort()
  const [actual, required] = [codeListOf(given).join(', '), codeListOf(builtIn).join(', ')]
  return actual === required || actual === ''
    ? []
    : [`the program acts on its codes, which must be ${required}; it has ${actual}`]
}
