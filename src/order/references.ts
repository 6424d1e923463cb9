import { findCurrentPatient } from '../clinical/current-patient.js'
import type { Operation } from '../platform/json/json-patch.js'
import { type ResourceType, withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'

type ReferencePorts = Pick<Ports, 'db' | 'resourceUrls'>

/** The paths of the references of a resource, with the type of the resource behind each. */
export type ReferencePaths = Readonly<Record<string, ResourceType | 'patient'>>

/**
 * Converts the references of a document to the form in which GET returns them. In this form two
 * references to a resource of this service are equal, whatever their origin and addressing, and so
 * are two references to a patient.
 * @param stored a patient that is in this form, and so needs no query.
 */
export async function withCanonicalReferences<T>(
  ports: ReferencePorts,
  paths: ReferencePaths,
  document: T,
  stored?: string
): Promise<T> {
  let result: unknown = document
  for (const [path, type] of Object.entries(paths))
    result = await convertAt(result, path.split('/').slice(1), (url) => canonical(ports, type, url, stored))
  return result as T
}

/** Converts the references in the value that a `test` operation compares. */
export async function withCanonicalTest(
  ports: ReferencePorts,
  paths: ReferencePaths,
  operation: Operation,
  stored?: string
): Promise<Operation> {
  if (operation.op !== 'test') return operation
  const { path: tested } = operation
  const below = Object.entries(paths)
    .filter(([path]) => `${path}/`.startsWith(`${tested}/`))
    .map(([path, type]) => [`/value${path.slice(tested.length)}`, type] as const)
  return withCanonicalReferences(ports, Object.fromEntries(below), operation, stored)
}

function canonical(
  { db, resourceUrls }: ReferencePorts,
  type: ResourceType | 'patient',
  url: string,
  stored?: string
): string | Promise<string> {
  if (type === 'patient') return url === stored ? url : findCurrentPatient(db, url)
  const id = resourceUrls.id(type, url)
  return id === undefined ? withoutTrailingSlash(url) : resourceUrls.url(type, id)
}

async function convertAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  convert: (url: string) => string | Promise<string>
): Promise<unknown> {
  if (name === undefined) return typeof value === 'string' ? convert(value) : value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value
  const before = (value as Record<string, unknown>)[name]
  const after = await convertAt(before, rest, convert)
  return after === before ? value : { ...value, [name]: after }
}
