import { queryProblem } from '../../platform/errors/query-problem.js'
import { catalogueTexts } from '../texts.js'

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
  const system = text.slice(0, Math.max(slash, 0))
  // Without a code the form with a name looks like `<name>:https://host/set`.
  const isUrl = /^[a-z][a-z0-9+.-]*:(?![a-z][a-z0-9+.-]*:\/\/)/i.test(system)
  return assertComplete({ system: isUrl ? system : '', code: text.slice(slash + 1) })
}

function assertComplete(filter: AnnotationFilter): AnnotationFilter {
  // A filter without a name: the first colon belongs to the scheme of the system.
  if (filter.system.startsWith('//') || filter.name === '' || filter.system === '' || filter.code === '')
    throw queryProblem('annotation', catalogueTexts.annotationForm)
  return filter
}
