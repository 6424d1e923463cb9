import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CodeSystemDocument, schemaErrors, type ValueSetDocument } from './fhir.js'

/** A ValueSet or CodeSystem with its location for messages, such as `sets.json, entry 3`. */
export interface LocatedResource<D> {
  location: string
  document: D
}

export interface FolderResources {
  sets: LocatedResource<ValueSetDocument>[]
  systems: LocatedResource<CodeSystemDocument>[]
}

/** Reads the JSON files of a folder. Unusable resources are omitted and reported in `errors`. */
export function readFolder(folder: string, errors: string[]): FolderResources {
  const resources: FolderResources = { sets: [], systems: [] }
  for (const file of jsonFilesIn(folder, errors))
    for (const { location, resource } of readFile(folder, file, errors)) {
      const resourceErrors = schemaErrors(resource)
      errors.push(...resourceErrors.map((error) => `${location}: ${error}`))
      if (resourceErrors.length > 0) continue
      const document = resource as ValueSetDocument | CodeSystemDocument
      if (document.resourceType === 'ValueSet') resources.sets.push({ location, document })
      else resources.systems.push({ location, document })
    }
  return {
    sets: withoutDuplicates(resources.sets, valueSetName, errors),
    systems: withoutDuplicates(resources.systems, (url) => url, errors)
  }
}

/** The name of a value set: the last segment of its URL. */
export const valueSetName = (url: string) => url.slice(url.lastIndexOf('/') + 1)

function jsonFilesIn(folder: string, errors: string[]): string[] {
  try {
    const files = readdirSync(folder).filter((name) => /\.json$/i.test(name))
    if (files.length === 0)
      errors.push(`${folder}: has no .json file; put ValueSet files there, or remove the setting`)
    return files.sort()
  } catch (error) {
    errors.push(`${folder}: cannot be read as a folder (${errorCode(error)})`)
    return []
  }
}

/** The resource of a file, or the resources of its Bundle. */
function readFile(folder: string, file: string, errors: string[]): { location: string; resource: unknown }[] {
  const resource = parseFile(folder, file, errors)
  if (resource === undefined) return []
  const { resourceType, entry = [] } = (resource ?? {}) as { resourceType?: unknown; entry?: unknown }
  if (resourceType !== 'Bundle') return [{ location: file, resource }]
  if (!Array.isArray(entry) || entry.length === 0) {
    errors.push(`${file}: is a Bundle without entries; remove it, or add entries`)
    return []
  }
  return entry.map((each: { resource?: unknown } | null, index) => ({
    location: `${file}, entry ${index + 1}`,
    resource: each?.resource
  }))
}

function parseFile(folder: string, file: string, errors: string[]): unknown {
  try {
    // Editors on Windows may add a byte order mark.
    return JSON.parse(readFileSync(join(folder, file), 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) errors.push(`${file}: is not JSON: ${error.message}`)
    else errors.push(`${file}: cannot be read (${errorCode(error)})`)
    return undefined
  }
}

const errorCode = (error: unknown) => (error as { code?: string }).code ?? String(error)

/**
 * The first resource of each key. Each further resource is an error, because the choice would be
 * arbitrary.
 */
function withoutDuplicates<D extends { url: string }>(
  resources: LocatedResource<D>[],
  keyOf: (url: string) => string,
  errors: string[]
): LocatedResource<D>[] {
  const first = new Map<string, LocatedResource<D>>()
  for (const each of resources) {
    const { url } = each.document
    const other = first.get(keyOf(url))
    if (!other) first.set(keyOf(url), each)
    else
      errors.push(
        other.document.url === url
          ? `${each.location}: ${url} is also in ${other.location}; keep one of them`
          : `${each.location}: ${url} has the same name as ${other.document.url} in ${other.location}; keep one of them`
      )
  }
  return [...first.values()]
}
