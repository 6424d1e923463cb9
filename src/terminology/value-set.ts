import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Coding } from '../platform/schemas.js'

/** The members of a FHIR R4 ValueSet that are used here: enumerated concepts, and other value sets by their URL. */
interface FhirValueSet {
  resourceType: 'ValueSet'
  url: string
  compose: {
    include: { system?: string; concept?: { code: string; display?: string }[]; valueSet?: string[] }[]
  }
}

/** A value set ready for use: its codings, found by system and code. */
export interface ValueSet {
  name: string
  url: string
  codings: readonly Coding[]
  /** The coding as the set has it. A code of the project's own systems is found without regard to case. */
  find(system: string, code: string): Coding | undefined
}

/**
 * Reads the FHIR R4 ValueSet files of a folder. A set's name is the last segment of its URL. Where a set enumerates a
 * system that is its own URL, the set is project-owned: both get the address `{base}/<name>`.
 * @throws Error naming the file that cannot be used.
 */
export function readValueSets(folder: string, base: string): Map<string, ValueSet> {
  const documents = new Map<string, FhirValueSet>()
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const document = readValueSet(join(folder, file))
    documents.set(nameOf(document.url), document)
  }
  return new Map([...documents.keys()].map((name) => [name, valueSet(name, documents, base)]))
}

function readValueSet(path: string): FhirValueSet {
  try {
    const document = JSON.parse(readFileSync(path, 'utf8')) as FhirValueSet
    if (document.resourceType !== 'ValueSet') throw new Error('it is no ValueSet')
    if (typeof document.url !== 'string') throw new Error('it has no url')
    if (!Array.isArray(document.compose?.include)) throw new Error('it enumerates nothing in compose.include')
    return document
  } catch (cause) {
    throw new Error(`${path} is no usable FHIR R4 ValueSet: ${(cause as Error).message}`, { cause })
  }
}

const nameOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

function valueSet(name: string, documents: ReadonlyMap<string, FhirValueSet>, base: string): ValueSet {
  const codings = codingsOf(name, documents, base)
  const known = new Map(codings.map((coding) => [key(coding.system, coding.code, base), coding]))
  return { name, url: `${base}/${name}`, codings, find: (system, code) => known.get(key(system, code, base)) }
}

const key = (system: string, code: string, base: string) =>
  `${system}|${system.startsWith(`${base}/`) ? code.toLowerCase() : code}`

function codingsOf(name: string, documents: ReadonlyMap<string, FhirValueSet>, base: string): Coding[] {
  const document = documents.get(name)
  if (!document) throw new Error(`The value set ${name} is referred to but not there.`)
  return document.compose.include.flatMap(({ system = '', concept = [], valueSet = [] }) => [
    ...concept.map(({ code, display }) => ({
      system: system === document.url ? `${base}/${name}` : system,
      code,
      display: display ?? null
    })),
    ...valueSet.flatMap((url) => codingsOf(nameOf(url), documents, base))
  ])
}
