import { sharedTypes } from '../schemas/schemas.js'
import { eachSchema, type Json } from './swagger-schema.js'

const descriptions: Readonly<Record<string, string>> = sharedTypes

/**
 * Moves each schema that has a title into the definitions, once, and refers to it. What a use says for itself (its description,
 * that it may be null, its example) stays beside the reference, in the form that OpenAPI 2.0 has for it: `allOf`.
 * @throws Error when two different schemas have one title.
 */
export function hoistDefinitions(paths: unknown): { paths: unknown; definitions: Json } {
  const definitions = new Map<string, Json>()
  const changed = eachSchema(paths, (schema) => {
    const { title, description, example, 'x-nullable': nullable, ...shape } = schema
    if (typeof title !== 'string' || typeof shape.type !== 'string') return schema
    const known = definitions.get(title)
    const definition = {
      title,
      description: descriptions[title] ?? known?.description ?? description,
      ...shape
    }
    if (known && JSON.stringify({ ...known, example: undefined }) !== JSON.stringify(definition))
      throw new Error(`Two different schemas are called ${title}`)
    const isShared = title in descriptions
    const sample = isShared ? undefined : (known?.example ?? example)
    definitions.set(title, { ...definition, ...(sample === undefined ? {} : { example: sample }) })
    return referenceTo(title, {
      ...(description === definition.description ? {} : { description }),
      ...(nullable ? { type: shape.type, 'x-nullable': true } : {}),
      ...(isShared && example !== undefined ? { example } : {})
    })
  })
  const sorted = [...definitions].sort(([one], [other]) => (one < other ? -1 : 1))
  return { paths: changed, definitions: Object.fromEntries(sorted) }
}

function referenceTo(title: string, own: Json): Json {
  const reference = { $ref: `#/definitions/${title}` }
  return Object.keys(own).length === 0 ? reference : { ...own, allOf: [reference] }
}
