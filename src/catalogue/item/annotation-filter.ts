import { queryProblem } from '../../platform/errors/problem.js'

/** A parsed `annotation` filter. Without a name it matches the value under any name. */
export interface AnnotationFilter {
  name?: string
  system: string
  code: string
}

/**
 * Parses an `annotation` query parameter: `<name>:<system>|<code>`, or the earlier
 * `<system>/<code>`, the URL of the value. A name contains no `:`, so the first `:` ends it; a
 * system may contain more.
 * @throws Problem `invalid-query`.
 */
export function parseAnnotationFilter(text: string): AnnotationFilter {
  const bar = text.lastIndexOf('|')
  const colon = text.indexOf(':')
  if (bar >= 0)
    return assertComplete({
      name: text.slice(0, Math.max(colon, 0)),
      system: text.slice(colon + 1, bar),
      code: text.slice(bar + 1)
    })
  const slash = text.lastIndexOf('/')
  return assertComplete({ system: text.slice(0, Math.max(slash, 0)), code: text.slice(slash + 1) })
}

function assertComplete(filter: AnnotationFilter): AnnotationFilter {
  // A filter without a name: the first colon belongs to the scheme of the system.
  if (filter.system.startsWith('//') || filter.name === '' || filter.system === '' || filter.code === '')
    throw queryProblem('annotation', {
      en: 'must have the form <name>:<system>|<code>, or <system>/<code>',
      da: 'skal have formen <navn>:<system>|<kode> eller <system>/<kode>'
    })
  return filter
}
