import { problem } from '../../platform/errors/problem.js'

/** What an `annotation` filter asks for. Without a name the value may stand under any. */
export interface AnnotationFilter {
  name?: string
  system: string
  code: string
}

/**
 * Reads an `annotation` query parameter: `<name>:<system>|<code>`, or the earlier `<system>/<code>`, the value's URL. A name
 * holds no `:`, so the first one ends it, although systems hold some.
 * @throws Problem `invalid-query`.
 */
export function annotationFilter(text: string): AnnotationFilter {
  const bar = text.lastIndexOf('|')
  const colon = text.indexOf(':')
  if (bar >= 0)
    return whole({
      name: text.slice(0, Math.max(colon, 0)),
      system: text.slice(colon + 1, bar),
      code: text.slice(bar + 1)
    })
  const slash = text.lastIndexOf('/')
  return whole({ system: text.slice(0, Math.max(slash, 0)), code: text.slice(slash + 1) })
}

function whole(filter: AnnotationFilter): AnnotationFilter {
  // A system without a name before it: the first colon is that of its scheme.
  if (filter.system.startsWith('//') || filter.name === '' || filter.system === '' || filter.code === '')
    throw problem(
      'invalid-query',
      'Query parameter annotation must have the form <name>:<system>|<code>, or <system>/<code>.'
    )
  return filter
}
