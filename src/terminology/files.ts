import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CodeSystemDocument, faultsOfForm, type ValueSetDocument } from './fhir.js'

/** A ValueSet or a CodeSystem, and where it stands, for messages: `sets.json, entry 3`. */
export interface Placed<D> {
  place: string
  document: D
}

/** What the files of a folder hold. */
export interface Resources {
  sets: Placed<ValueSetDocument>[]
  systems: Placed<CodeSystemDocument>[]
}

/** Reads the JSON files of a folder. What is not usable is left out, and told in `faults`. */
export function readFolder(folder: string, faults: string[]): Resources {
  const resources: Resources = { sets: [], systems: [] }
  const files = filesOf(folder, faults)
  for (const file of files)
    for (const { place, resource } of readFile(folder, file, faults)) {
      const wrong = faultsOfForm(resource)
      faults.push(...wrong.map((fault) => `${place}: ${fault}`))
      if (wrong.length > 0) continue
      const document = resource as ValueSetDocument | CodeSystemDocument
      if (document.resourceType === 'ValueSet') resources.sets.push({ place, document })
      else resources.systems.push({ place, document })
    }
  return {
    sets: withoutDoubles(resources.sets, (url) => nameOf(url), faults),
    systems: withoutDoubles(resources.systems, (url) => url, faults)
  }
}

/** A set's name: the last segment of its address. */
export const nameOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

function filesOf(folder: string, faults: string[]): string[] {
  try {
    const files = readdirSync(folder).filter((name) => /\.json$/i.test(name))
    if (files.length === 0)
      faults.push(`${folder}: holds no .json file; put ValueSet files there, or leave the setting out`)
    return files.sort()
  } catch (error) {
    faults.push(`${folder}: cannot be read as a folder (${codeOf(error)})`)
    return []
  }
}

/** The resources of a file: the one that it is, or those of the Bundle that it is. */
function readFile(folder: string, file: string, faults: string[]): { place: string; resource: unknown }[] {
  const resource = parsed(folder, file, faults)
  if (resource === undefined) return []
  const { resourceType, entry = [] } = (resource ?? {}) as { resourceType?: unknown; entry?: unknown }
  if (resourceType !== 'Bundle') return [{ place: file, resource }]
  if (!Array.isArray(entry) || entry.length === 0) {
    faults.push(`${file}: is a Bundle without entries; remove it, or give it some`)
    return []
  }
  return entry.map((each: { resource?: unknown } | null, at) => ({
    place: `${file}, entry ${at + 1}`,
    resource: each?.resource
  }))
}

function parsed(folder: string, file: string, faults: string[]): unknown {
  try {
    // Editors of Windows put a byte order mark before the text.
    return JSON.parse(readFileSync(join(folder, file), 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) faults.push(`${file}: is not JSON: ${error.message}`)
    else faults.push(`${file}: cannot be read (${codeOf(error)})`)
    return undefined
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? String(error)

/** The first of each key; a later one is told, since which of them is meant cannot be known. */
function withoutDoubles<D extends { url: string }>(
  placed: Placed<D>[],
  keyOf: (url: string) => string,
  faults: string[]
): Placed<D>[] {
  const first = new Map<string, Placed<D>>()
  for (const each of placed) {
    const { url } = each.document
    const other = first.get(keyOf(url))
    if (!other) first.set(keyOf(url), each)
    else
      faults.push(
        other.document.url === url
          ? `${each.place}: ${url} is also in ${other.place}; keep one of them`
          : `${each.place}: ${url} has the same name as ${other.document.url} in ${other.place}; keep one of them`
      )
  }
  return [...first.values()]
}
