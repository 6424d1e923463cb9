import { eachSchema, type JsonRecord } from '../json/swagger-schema.js'
import { sharedTypes } from '../schemas/schemas.js'
import type { OpenApiVersion } from './versions.js'

const descriptions: Readonly<Record<string, string>> = sharedTypes

/**
 * Moves schemas with a title into the definitions and replaces them by references. A use keeps its
 * own description, nullability and example beside the reference.
 * @throws Error when two different schemas have the same title.
 */
export function hoistDefinitions(
  paths: unknown,
  { refer }: Pick<OpenApiVersion, 'refer'>
): { paths: unknown; definitions: JsonRecord } {
  const definitions = new Map<string, JsonRecord>()
  const changed = eachSchema(paths, (schema) => {
    const { title, description, example, 'x-nullable': nullable, 'x-shared': shared, ...shape } = schema
    if (typeof title !== 'string' || !(typeof shape.type === 'string' || shape.oneOf)) return schema
    const known = definitions.get(title)
    const sharedDescription = shared ?? descriptions[title]
    const definition = {
      title,
      description: sharedDescription ?? known?.description ?? description,
      ...shape
    }
    if (known && JSON.stringify({ ...known, example: undefined }) !== JSON.stringify(definition))
      throw new Error(`Two different schemas have the title ${title}`)
    const isShared = sharedDescription !== undefined
    const definitionExample = isShared ? undefined : (known?.example ?? example)
    definitions.set(title, {
      ...definition,
      ...(definitionExample === undefined ? {} : { example: definitionExample })
    })
    return refer(title, {
      ...(description === definition.description ? {} : { description }),
      ...(nullable ? { type: shape.type, 'x-nullable': true } : {}),
      ...(isShared && example !== undefined ? { example } : {})
    })
  })
  const sorted = [...definitions].sort(([one], [other]) => (one < other ? -1 : 1))
  return { paths: changed, definitions: Object.fromEntries(sorted) }
}
