import { createHash } from 'node:crypto'
import type { ResourceType } from '../urls/resource-urls.js'
import { eachField, type Fields, type FieldValue } from './fields.js'

/*
 * Values for the examples of the documentation. A label always gives the same id, so that examples
 * of several resources are consistent. URLs begin with a placeholder (`ssl-order:/…`), which
 * `resolveExampleUrls` replaces by a base URL.
 */

export function exampleId({ path }: ResourceType, label: string): string {
  const hex = createHash('sha256').update(`${path} ${label}`).digest('hex')
  return `0199a3c4-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`
}

export const exampleUrl = (type: ResourceType, label: string) =>
  `${type.api}:/${type.path}/${exampleId(type, label)}`

/** A coding of a local value set. */
export const exampleCoding = (set: string, code: string, display: string) => ({
  system: `valuesets:/${set}`,
  code,
  display
})

const VALUE_SET_PLACEHOLDER = 'valuesets:/'

/** The annotation with the value set of such a coding; nothing for a coding of another system. */
export const valueSetOf = ({ system }: { system: string }) =>
  system.startsWith(VALUE_SET_PLACEHOLDER)
    ? { 'x-value-set': system.slice(VALUE_SET_PLACEHOLDER.length) }
    : {}

/** The examples of fields. */
export const exampleMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => schema.example) as { [K in keyof F]: FieldValue<F[K]> }

export const exampleClinicalUrl = (type: 'Patient' | 'Organization', name: string) =>
  `https://fhir.example/${type}/${name}`

/** Replaces the placeholders in a value by base URLs. */
export function resolveExampleUrls<T>(value: T, baseUrls: Readonly<Record<string, string>>): T {
  if (typeof value === 'string') {
    return value.replace(/([\w-]+):(?=\/(?!\/))/g, (text, name: string) => baseUrls[name] ?? text) as T
  }
  if (Array.isArray(value)) return value.map((each) => resolveExampleUrls(each, baseUrls)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolveExampleUrls(member, baseUrls)])
  ) as T
}
