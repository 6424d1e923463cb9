import { createHash } from 'node:crypto'
import type { ResourceType } from '../rest/resource-urls.js'

/*
 * Values for the examples of the documentation. The same label always gives the same id, so that examples of several resources
 * fit together; addresses begin with a place (`ssl-order:/…`) that becomes a base address when the document is made.
 */

/** The id that a labelled resource has in the examples. */
export function exampleId({ path }: ResourceType, label: string): string {
  const hex = createHash('sha256').update(`${path} ${label}`).digest('hex')
  return `0199a3c4-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`
}

/** The address that a labelled resource has in the examples. */
export const exampleUrl = (kind: ResourceType, label: string) =>
  `${kind.api}:/${kind.path}/${exampleId(kind, label)}`

/** A coding of one of the project's own value sets, in the examples. */
export const exampleCoding = (set: string, code: string, display: string) => ({
  system: `valuesets:/${set}`,
  code,
  display
})

/** A resource of the clinical backend, in the examples. */
export const exampleClinicalUrl = (type: 'Patient' | 'Organization', name: string) =>
  `https://fhir.example/${type}/${name}`

/** Puts the addresses of this server where a value names a place. */
export function resolveExampleUrls<T>(value: T, places: Readonly<Record<string, string>>): T {
  if (typeof value === 'string') {
    const [name = '', rest] = value.split(/:(?=\/(?!\/))/, 2)
    return (rest !== undefined && name in places ? `${places[name]}${rest}` : value) as T
  }
  if (Array.isArray(value)) return value.map((each) => resolveExampleUrls(each, places)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolveExampleUrls(member, places)])
  ) as T
}
