/** Kinds of clinical resources that this service refers to. */
export type ClinicalType = 'Organization' | 'Patient'

const fhirId = '[A-Za-z0-9.-]{1,64}'

/**
 * Tells whether a text is an absolute http(s) URL of a clinical resource: `<base>/<Type>/<id>`, without user info, query
 * or fragment, and written the way a URL parser would print it, so that two parsers cannot read two things in it.
 * With a `base` (the clinical backend's address) it must lie directly under it.
 */
export function isClinicalReference(text: string, type: ClinicalType, base?: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== text) return false
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) return false
  if (base !== undefined)
    return new RegExp(`^/${type}/${fhirId}$`).test(text.startsWith(base) ? text.slice(base.length) : '')
  return new RegExp(`^(/[^/]+)*/${type}/${fhirId}$`).test(url.pathname)
}
