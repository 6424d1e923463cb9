import type { Coding, CodingInput } from '../platform/schemas/schemas.js'
import { type LocalValueSet, reservedNames, setOfAnnotation } from './local-value-sets.js'
import type { TerminologyServer } from './server.js'
import { readValueSets, type ValueSet } from './value-set.js'

/** Begins the project's own systems where they are stored, in place of their base; no URI begins like this. */
export const ownSystems = '~/'

/** Answers what is a legal code, and what it is called. */
export interface Terminology {
  /** The code that an input stands for, bare or as a coding of the set; undefined when it is none of the set's. */
  code(set: LocalValueSet, input: string | CodingInput): string | undefined
  /** The full coding of a code that is in the set. */
  coding(set: LocalValueSet, code: string): Coding
  /** The codes of a set, for messages. */
  codes(set: LocalValueSet): string[]
  /**
   * The annotation value as its value set has it; undefined when the name's set does not hold it. May ask the terminology
   * server, so never inside a transaction.
   * @throws Problem `terminology-unavailable`, at once when the patience is over.
   */
  annotation(name: string, value: GivenCoding, patience: AbortSignal): Promise<Coding | undefined>
  /** The reserved annotation names. */
  annotationNames(): string[]
  /** The annotation values that are known here for a name, for those who choose; a terminology server may know more. */
  choices(name: string): readonly Coding[]
  /** The code of an annotation value as it is kept, whether it is legal or not; nobody is asked. */
  annotationCode(name: string, value: GivenCoding): string
  /** A system as it is stored: the project's own without the base, which is a setting and may change. */
  stored(system: string): string
  /** A stored system as it is answered. */
  shown(system: string): string
}

/** A coding as it was sent; what the caller calls it does not matter. */
type GivenCoding = Pick<CodingInput, 'system' | 'code'>

export interface TerminologyOptions {
  /** Folder of value sets that replace built-in ones of the same name. */
  dir?: string | undefined
  /** Base of the addresses of the project's own sets. */
  base: string
  /** Prefix of the reserved annotation names. */
  platformPrefix: string
  /** Names of the annotation sets that a terminology server is asked about. */
  remoteSets?: readonly string[]
  server?: TerminologyServer | undefined
}

/**
 * Value sets from files, and for some annotation sets the word of a terminology server.
 * @throws ValueSetsError naming everything that is wrong with the files.
 */
export function createTerminology(options: TerminologyOptions): Terminology {
  const { dir, base, platformPrefix, remoteSets = [], server } = options
  const sets = readValueSets(base, dir)
  const need = (name: string): ValueSet => {
    const set = sets.get(name)
    if (!set) throw new Error(`The value set ${name} is missing.`)
    return set
  }
  const setOf = (name: string): ValueSet => need(setOfAnnotation(name, platformPrefix))

  return {
    stored: (system) =>
      system.startsWith(`${base}/`) ? `${ownSystems}${system.slice(base.length + 1)}` : system,
    shown: (system) =>
      system.startsWith(ownSystems) ? `${base}/${system.slice(ownSystems.length)}` : system,
    code(name, input) {
      const set = need(name)
      const { system, code } = typeof input === 'string' ? { system: set.url, code: input } : input
      return set.find(system, code)?.code
    },
    coding(name, code) {
      const set = need(name)
      return set.find(set.url, code) ?? { system: set.url, code, display: null }
    },
    codes: (name) => need(name).codings.map((coding) => coding.code),
    annotationNames: () => reservedNames(platformPrefix),
    choices: (name) => setOf(name).codings,
    annotationCode: (name, { system, code }) => setOf(name).find(system, code)?.code ?? code,
    async annotation(name, value, patience) {
      const set = setOf(name)
      const known = set.find(value.system, value.code)
      if (!server || !remoteSets.includes(set.name)) return known
      return asked(server, { set, known, given: value, patience })
    }
  }
}

interface Asked {
  set: ValueSet
  known: Coding | undefined
  given: GivenCoding
  patience: AbortSignal
}

/** What the server says of a coding; one that the local set knows is asked as that set writes it. */
async function asked(
  server: TerminologyServer,
  { set, known, given, patience }: Asked
): Promise<Coding | undefined> {
  const { system, code } = known ?? given
  if (!isCoding(system, code)) return undefined
  const isKnownSystem = set.codings.some((coding) => coding.system === system)
  const { legal, display } = await server.judge({ url: set.url, system, code }, isKnownSystem, patience)
  return legal ? { system, code, display: display ?? known?.display ?? null } : undefined
}

/** Whether it has the form of a FHIR coding at all: what has not is in no value set, and a server may stumble over it. */
const isCoding = (system: string, code: string) =>
  /^[a-z][a-z0-9+.-]*:[^\s|]+$/i.test(system) && /^\S+( \S+)*$/.test(code)
