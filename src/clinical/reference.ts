import { problem } from '../platform/errors/problem.js'
import { withoutTrailingSlash } from '../platform/rest/resource-urls.js'

/** Kinds of clinical resources that this service refers to. */
export type ClinicalType = 'Organization' | 'Patient'

const fhirId = '[A-Za-z0-9.-]{1,64}'

/**
 * Tells whether a text is an absolute http(s) URL of a clinical resource: `<base>/<Type>/<id>`, without user info, query
 * or fragment, and written the way a URL parser would print it, so that two parsers cannot read two things in it.
 * With a `base` (the clinical backend's address) it must lie directly under it.
 */
export function isClinicalReference(text: string, type: ClinicalType, base?: string): boolean {
  if (base !== undefined) return clinicalId(text, type, base) !== undefined
  const url = plainUrl(text)
  return url !== undefined && new RegExp(`^(/[^/]+)*/${type}/${fhirId}$`).test(url.pathname)
}

/**
 * The patient that a query asks for, as patients are stored.
 * @throws Problem `invalid-query` when the parameter is no reference to a clinical Patient.
 */
export function queriedPatient(parameter: string): string {
  const patient = withoutTrailingSlash(parameter)
  if (!isClinicalReference(patient, 'Patient'))
    throw problem('invalid-query', 'Query parameter patient must be the URL of a clinical Patient.')
  return patient
}

/** The id in a reference to a clinical resource that lies directly under `base`; undefined for every other text. */
export function clinicalId(text: string, type: ClinicalType, base: string): string | undefined {
  const start = `${base}/${type}/`
  if (!plainUrl(text) || !text.startsWith(start)) return undefined
  const id = text.slice(start.length)
  return new RegExp(`^${fhirId}$`).test(id) ? id : undefined
}

function plainUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== text) return undefined
  return url.username === '' && url.password === '' && !/[?#]/.test(text) ? url : undefined
}
