import type { SlotOwner } from '../platform/concurrency/quotas.js'
import { type Language, languages } from '../platform/errors/language.js'
import type { CodingInput } from '../platform/schemas/input-schemas.js'
import type { Coding } from '../platform/schemas/schemas.js'
import { type LocalValueSet, reservedAnnotationNames, setOfAnnotation } from './local-value-sets.js'
import type { TerminologyServer } from './server.js'
import { readValueSets, type ValueSet } from './value-set.js'

/**
 * Replaces the base of the project's own systems in the database. No URI starts with this prefix.
 */
export const STORED_SYSTEM_PLACEHOLDER = '~/'

/** Validates codes and returns their displays. */
export interface Terminology {
  /**
   * The code of an input, which is a code or a coding of the set; undefined if the set does not
   * contain it.
   */
  code(set: LocalValueSet, input: string | CodingInput): string | undefined
  /** The coding of a code of the set, see `translate`. */
  coding(set: LocalValueSet, code: string, language?: Language): Coding
  /**
   * A coding with its display in the language. Without a language or such a display the coding
   * stays unchanged.
   */
  translate(coding: Coding, language: Language | undefined): Coding
  /** The codes of a set, for messages. */
  codes(set: LocalValueSet): string[]
  /** A set whose codes affect the program. */
  localSet(set: LocalValueSet): ValueSet
  /**
   * The annotation value as its value set spells it; undefined if the set does not contain it. May
   * call the terminology server: never use it inside a transaction.
   * @param owner the caller on whose behalf the server is called.
   * @throws Problem `terminology-unavailable`, at once when the signal aborts.
   */
  validateAnnotation(
    name: string,
    value: GivenCoding,
    signal: AbortSignal,
    owner?: SlotOwner
  ): Promise<Coding | undefined>
  valueSets(): ReadonlyMap<string, ValueSet>
  annotationNames(): string[]
  /** The local value set of an annotation name. A terminology server may accept other codes. */
  annotationSet(name: string): ValueSet
  /** The stored form of an annotation value's code, valid or not. Sends no request. */
  annotationCode(name: string, value: GivenCoding): string
  /**
   * The stored form of a system: without the base for a system of the project, because the base may
   * change.
   */
  storedSystem(system: string): string
  /** The public form of a stored system. */
  publicSystem(system: string): string
}

/** A coding as sent, without its display. */
type GivenCoding = Pick<CodingInput, 'system' | 'code'>

export interface TerminologyOptions {
  /** Folder of value sets that replace built-in sets with the same name. */
  dir?: string | undefined
  /** Base URL of the project's own sets. */
  base: string
  /** Prefix of the reserved annotation names. */
  platformPrefix: string
  /** Names of the annotation sets that the terminology server validates. */
  remoteSets?: readonly string[]
  server?: TerminologyServer | undefined
}

/**
 * Reads the value sets from files. Some annotation sets may be validated by a terminology server.
 * @throws ValueSetsError with all errors of all files.
 */
export function createTerminology(options: TerminologyOptions): Terminology {
  const { dir, base, platformPrefix, remoteSets = [], server } = options
  const sets: ReadonlyMap<string, ValueSet> = readValueSets(base, dir)
  const requireSet = (name: string): ValueSet => {
    const set = sets.get(name)
    if (!set) throw new Error(`The value set ${name} is missing.`)
    return set
  }
  const setOf = (name: string): ValueSet => requireSet(setOfAnnotation(name, platformPrefix))
  const translations = translationsOf(sets)
  const translate = (coding: Coding, language: Language | undefined): Coding =>
    (language && translations.get(language)?.get(keyOf(coding))) ?? coding

  return {
    storedSystem: (system) =>
      system.startsWith(`${base}/`) ? `${STORED_SYSTEM_PLACEHOLDER}${system.slice(base.length + 1)}` : system,
    publicSystem: (system) =>
      system.startsWith(STORED_SYSTEM_PLACEHOLDER)
        ? `${base}/${system.slice(STORED_SYSTEM_PLACEHOLDER.length)}`
        : system,
    code(name, input) {
      const set = requireSet(name)
      const { system, code } = typeof input === 'string' ? { system: set.url, code: input } : input
      return set.find(system, code)?.code
    },
    coding(name, code, language) {
      const set = requireSet(name)
      return translate(set.find(set.url, code) ?? { system: set.url, code, display: null }, language)
    },
    translate,
    codes: (name) => requireSet(name).codings.map((coding) => coding.code),
    localSet: requireSet,
    valueSets: () => sets,
    annotationNames: () => reservedAnnotationNames(platformPrefix),
    annotationSet: setOf,
    annotationCode: (name, { system, code }) => setOf(name).find(system, code)?.code ?? code,
    async validateAnnotation(name, value, signal, owner) {
      const set = setOf(name)
      const local = set.find(value.system, value.code)
      if (!server || !remoteSets.includes(set.name)) return local
      return validateRemotely(server, { set, local, given: value, signal, owner })
    }
  }
}

const keyOf = ({ system, code }: GivenCoding) => `${system}|${code}`

/** Codings with the displays of each language. The first translation of a code is used. */
function translationsOf(sets: ReadonlyMap<string, ValueSet>) {
  const translations = new Map(languages.map((language) => [language, new Map<string, Coding>()]))
  for (const { displayed } of sets.values())
    for (const { system, code, displays } of displayed)
      for (const [language, codings] of translations) {
        const [key, display] = [keyOf({ system, code }), displays[language]]
        if (display !== undefined && !codings.has(key)) codings.set(key, { system, code, display })
      }
  return translations
}

interface RemoteValidation {
  set: ValueSet
  /** The coding in the local set, whose spelling is sent. */
  local: Coding | undefined
  given: GivenCoding
  signal: AbortSignal
  owner: SlotOwner | undefined
}

async function validateRemotely(
  server: TerminologyServer,
  { set, local, given, signal, owner }: RemoteValidation
): Promise<Coding | undefined> {
  const { system, code } = local ?? given
  if (!isCoding(system, code)) return undefined
  const isKnownSystem = set.codings.some((coding) => coding.system === system)
  const query = { url: set.url, system, code }
  const { valid, display } = await server.validate(query, isKnownSystem, signal, owner)
  return valid ? { system, code, display: display ?? local?.display ?? null } : undefined
}

/**
 * Whether a value is a well-formed FHIR coding. Any other value is in no value set, and may cause
 * an error of the server.
 */
const isCoding = (system: string, code: string) =>
  /^[a-z][a-z0-9+.-]*:[^\s|]+$/i.test(system) && /^\S+( \S+)*$/.test(code)
