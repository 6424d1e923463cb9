import type { Operation } from '../platform/json/json-patch.js'
import { type ResourceType, withoutTrailingSlash } from '../platform/urls/resource-urls.js'
import type { Ports } from '../ports.js'

type UrlPorts = Pick<Ports, 'resourceUrls'>

/** The paths of the references of a resource, with the type of the resource behind each. */
export type ReferencePaths = Readonly<Record<string, ResourceType | 'clinical'>>

/**
 * Converts the references of a document to the form in which GET returns them. In this form two
 * references to a resource of this service are equal, whatever their origin and addressing.
 */
export const withCanonicalReferences = <T>(ports: UrlPorts, paths: ReferencePaths, document: T): T =>
  Object.entries(paths).reduce(
    (result, [path, type]) =>
      convertAt(result, path.split('/').slice(1), (url) => canonical(ports, type, url)) as T,
    document
  )

/** Converts the reference that a `test` operation compares. */
export function withCanonicalTest(ports: UrlPorts, paths: ReferencePaths, operation: Operation): Operation {
  const type = operation.op === 'test' ? paths[operation.path] : undefined
  return type ? withCanonicalReferences(ports, { '/value': type }, operation) : operation
}

function canonical({ resourceUrls }: UrlPorts, type: ResourceType | 'clinical', url: string): string {
  const id = type === 'clinical' ? undefined : resourceUrls.id(type, url)
  return type === 'clinical' || id === undefined ? withoutTrailingSlash(url) : resourceUrls.url(type, id)
}

function convertAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  convert: (url: string) => string
): unknown {
  if (name === undefined) return typeof value === 'string' ? convert(value) : value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value
  const before = (value as Record<string, unknown>)[name]
  const after = convertAt(before, rest, convert)
  return after === before ? value : { ...value, [name]: after }
}
