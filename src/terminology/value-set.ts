import { join } from 'node:path'
import type { Coding } from '../platform/schemas/schemas.js'
import { projectRoot } from '../platform/util/project-root.js'
import { createExpander } from './expand.js'
import type { ValueSetDocument } from './fhir.js'
import { nameOf, type Resources, readFolder } from './files.js'
import { localValueSets } from './local-value-sets.js'

/** A value set ready for use: its codings, found by system and code. */
export interface ValueSet {
  name: string
  url: string
  codings: readonly Coding[]
  /** The coding as the set has it. A code of the project's own systems is found without regard to case. */
  find(system: string, code: string): Coding | undefined
}

/** Thrown when value sets are not usable; carries every fault of every file, one a line. */
export class ValueSetsError extends Error {
  override readonly name = 'ValueSetsError'
  constructor(
    folder: string,
    readonly faults: readonly string[]
  ) {
    super(
      `The value sets in ${folder} (VALUESETS_DIR) are not usable:\n${faults.map((each) => `  ${each}`).join('\n')}`
    )
  }
}

const builtInFolder = join(projectRoot, 'src', 'terminology', 'value-sets')

/** The base that the built-in files are written with. */
const builtInBase = 'https://valuesets.example/vs'

/**
 * Reads the built-in value sets and those of a folder, which replace the built-in ones of the same name: the last segment of the
 * address. Where a set enumerates a system that is its own address, the set is project-owned: both get the address `{base}/<name>`.
 * @throws ValueSetsError naming all faults at once.
 */
export function readValueSets(base: string, folder?: string): Map<string, ValueSet> {
  const faults: string[] = []
  const builtIn = readFolder(builtInFolder, faults)
  const known = valueSets(builtIn, base, faults)
  if (folder === undefined) return known
  const resources = joined(builtIn, readFolder(folder, faults))
  const sets = valueSets(resources, base, faults)
  for (const { place, document } of resources.sets) {
    const name = nameOf(document.url)
    const [given, wanted] = [sets.get(name), known.get(name)]
    if (given && wanted && isActed(name))
      faults.push(...faultsOfActed(given, wanted).map((fault) => `${place}, ${document.url}: ${fault}`))
  }
  if (faults.length > 0) throw new ValueSetsError(folder, faults)
  return sets
}

const isActed = (name: string) => (localValueSets as readonly string[]).includes(name)

/** What the first has and the second does not replace, with all of the second. */
function joined(one: Resources, other: Resources): Resources {
  const names = new Set(other.sets.map(({ document }) => nameOf(document.url)))
  return {
    sets: [...one.sets.filter(({ document }) => !names.has(nameOf(document.url))), ...other.sets],
    systems: [...one.systems, ...other.systems]
  }
}

function valueSets(resources: Resources, base: string, faults: string[]): Map<string, ValueSet> {
  const isOwn = (url: string) => [base, builtInBase].some((each) => url.startsWith(`${each}/`))
  const expand = createExpander(resources, isOwn, faults)
  const owned = new Map(
    resources.sets
      .filter(({ document }) => isProjectOwned(document))
      .map(({ document: { url } }) => [url, `${base}/${nameOf(url)}`])
  )
  return new Map(
    resources.sets.map((each) => {
      const name = nameOf(each.document.url)
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

function valueSet(name: string, codings: Coding[], base: string): ValueSet {
  const key = (system: string, code: string) =>
    `${system}|${system.startsWith(`${base}/`) ? code.toLowerCase() : code}`
  const known = new Map(codings.map((coding) => [key(coding.system, coding.code), coding]))
  return { name, url: `${base}/${name}`, codings, find: (system, code) => known.get(key(system, code)) }
}

/** A site may call the codes that the program acts on as it likes, but have no others, and none less. */
function faultsOfActed(given: ValueSet, known: ValueSet): string[] {
  const foreign = given.codings.find(({ system }) => system !== given.url)
  if (foreign)
    return [`the program acts on its codes: their system must be the set's own url, not ${foreign.system}`]
  const codesOf = (set: ValueSet) => set.codings.map(({ code }) => code).sort()
  const [have, must] = [codesOf(given).join(', '), codesOf(known).join(', ')]
  return have === must || have === ''
    ? []
    : [`the program acts on its codes, which must be ${must}; it has ${have}`]
}
