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

/** A FHIR R4 CodeSystem, as far as it is used here: what a value set includes when it names a system alone. */
interface FhirCodeSystem {
  resourceType: 'CodeSystem'
  url: string
  concept: { code: string; display?: string }[]
}

/**
 * Reads the FHIR R4 ValueSet and CodeSystem files of folders; a set of a later folder replaces one of the same name. A set's name
 * is the last segment of its URL. Where a set enumerates a system that is its own URL, the set is project-owned: both get
 * the address `{base}/<name>`.
 * @throws Error naming the file, or the set, that cannot be used.
 */
export function readValueSets(folders: readonly string[], base: string): Map<string, ValueSet> {
  const documents: Documents = { sets: new Map(), systems: new Map() }
  for (const folder of folders)
    for (const file of readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()) {
      const document = readDocument(join(folder, file))
      if (document.resourceType === 'ValueSet') documents.sets.set(nameOf(document.url), document)
      else documents.systems.set(document.url, document)
    }
  return new Map([...documents.sets.keys()].map((name) => [name, valueSet(name, documents, base)]))
}

interface Documents {
  sets: Map<string, FhirValueSet>
  systems: Map<string, FhirCodeSystem>
}

function readDocument(path: string): FhirValueSet | FhirCodeSystem {
  try {
    const document = JSON.parse(readFileSync(path, 'utf8')) as FhirValueSet | FhirCodeSystem
    if (typeof document.url !== 'string') throw new Error('it has no url')
    if (document.resourceType === 'CodeSystem') {
      if (!Array.isArray(document.concept)) throw new Error('it has no concept')
    } else {
      if (document.resourceType !== 'ValueSet') throw new Error('it is neither a ValueSet nor a CodeSystem')
      if (!Array.isArray(document.compose?.include)) throw new Error('it has no compose.include')
    }
    return document
  } catch (cause) {
    throw new Error(`${path} is of no use as FHIR R4: ${(cause as Error).message}`, { cause })
  }
}

const nameOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

function valueSet(name: string, documents: Documents, base: string): ValueSet {
  const codings = codingsOf(name, documents, base)
  const known = new Map(codings.map((coding) => [key(coding.system, coding.code, base), coding]))
  return { name, url: `${base}/${name}`, codings, find: (system, code) => known.get(key(system, code, base)) }
}

const key = (system: string, code: string, base: string) =>
  `${system}|${system.startsWith(`${base}/`) ? code.toLowerCase() : code}`

function codingsOf(name: string, documents: Documents, base: string): Coding[] {
  const document = documents.sets.get(name)
  if (!document) throw new Error(`The value set ${name} is referred to but not there.`)
  const codings = document.compose.include.flatMap(({ system = '', concept, valueSet = [] }) => [
    ...(concept ?? documents.systems.get(system)?.concept ?? []).map(({ code, display }) => ({
      system: system === document.url ? `${base}/${name}` : system,
      code,
      display: display ?? null
    })),
    ...valueSet.flatMap((url) => codingsOf(nameOf(url), documents, base))
  ])
  if (codings.length === 0)
    throw new Error(`The value set ${document.url} holds no codes; is its CodeSystem missing?`)
  return codings
}
