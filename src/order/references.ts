import { findCurrentPatient } from '../clinical/current-patient.js'
import { valueAt } from '../platform/json/apply-patch.js'
import type { Operation } from '../platform/json/json-patch.js'
import { segmentsOf } from '../platform/json/json-pointer.js'
import { type ResourceType, withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'

type ReferencePorts = Pick<Ports, 'db' | 'resourceUrls'>

/** The paths of the references of a resource, with the type of the resource behind each. */
export type ReferencePaths = Readonly<Record<string, ResourceType | 'patient'>>

/**
 * Converts the references of a document to the form in which GET returns them. In this form
 * references to the same resource or patient are equal, regardless of their origin and addressing.
 * @param before a document in this form, whose references need no conversion.
 */
export async function withCanonicalReferences<T>(
  ports: ReferencePorts,
  paths: ReferencePaths,
  document: T,
  before?: object
): Promise<T> {
  let result: unknown = document
  for (const [path, type] of Object.entries(paths)) {
    const url = valueAt(document, path)
    if (typeof url === 'string' && url !== valueAt(before, path))
      result = withValue(result, segmentsOf(path), await canonical(ports, type, url))
  }
  return result as T
}

/**
 * Converts the references in the value that a `test` operation compares.
 * @param before the document that the operation tests.
 */
export async function withCanonicalTest(
  ports: ReferencePorts,
  paths: ReferencePaths,
  operation: Operation,
  before: object
): Promise<Operation> {
  if (operation.op !== 'test') return operation
  const { path: tested } = operation
  const below = Object.entries(paths)
    .filter(([path]) => `${path}/`.startsWith(`${tested}/`))
    .map(([path, type]) => [`/value${path.slice(tested.length)}`, type] as const)
  const value = valueAt(before, tested)
  return withCanonicalReferences(ports, Object.fromEntries(below), operation, { value })
}

function canonical(
  { db, resourceUrls }: ReferencePorts,
  type: ResourceType | 'patient',
  url: string
): string | Promise<string> {
  if (type === 'patient') return findCurrentPatient(db, url)
  const id = resourceUrls.id(type, url)
  return id === undefined ? withoutTrailingSlash(url) : resourceUrls.url(type, id)
}

/** A copy of a document with another value at a path, whose parents exist. */
function withValue(document: unknown, [name, ...rest]: readonly string[], value: string): unknown {
  if (name === undefined) return value
  const members = document as Record<string, unknown>
  return { ...members, [name]: withValue(members[name], rest, value) }
}
