import type { Problem } from '../platform/errors/problem.js'
import { clinicalProblem } from './texts.js'

/** Clinical resource types that this service refers to. */
export type ClinicalType = 'Organization' | 'Patient'

const FHIR_ID = '[A-Za-z0-9.-]{1,64}'

/**
 * Whether a text is an absolute http(s) URL of a clinical resource: `<base>/<Type>/<id>`, without
 * user info, query or fragment, and in the normal form of a URL parser, so that all parsers read it
 * alike.
 * @param base the only allowed base, if given: that of the clinical backend.
 */
export function isClinicalReference(text: string, type: ClinicalType, base?: string): boolean {
  if (base !== undefined) return clinicalId(text, type, base) !== undefined
  const url = plainUrl(text)
  return url !== undefined && new RegExp(`^(/[^/]+)*/${type}/${FHIR_ID}$`).test(url.pathname)
}

/**
 * The id in a reference to a clinical resource directly below `base`; undefined for any other text.
 */
export function clinicalId(text: string, type: ClinicalType, base: string): string | undefined {
  const prefix = `${base}/${type}/`
  if (!plainUrl(text) || !text.startsWith(prefix)) return undefined
  const id = text.slice(prefix.length)
  return new RegExp(`^${FHIR_ID}$`).test(id) ? id : undefined
}

function plainUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== text) return undefined
  return url.username === '' && url.password === '' && !/[?#]/.test(text) ? url : undefined
}

/**
 * The problem of an unusable reference, which is the same for every reason and so discloses no
 * reason.
 */
export const invalidClinicalReference = (type: ClinicalType, pointer: string): Problem =>
  clinicalProblem('dangling-reference.clinical', pointer, { type })
