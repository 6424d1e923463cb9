import { eachSchema, exampleOf, type JsonRecord, leastExampleOf } from '../json/swagger-schema.js'
import { sharedTypes, withExample } from '../schemas/schemas.js'

const descriptions: Readonly<Record<string, string>> = sharedTypes

/** The differences between the schemas of two versions of OpenAPI. */
export interface SchemaDialect {
  /** Converts a schema whose members have been converted. */
  convert: (schema: JsonRecord) => JsonRecord
  /** A reference to the definition of a title, with further members next to it. */
  refer: (title: string, own: JsonRecord) => JsonRecord
}

/** The schemas of a document. A schema that occurs in several places is converted once. */
export class DocumentSchemas {
  readonly #dialect: SchemaDialect
  readonly #converted = new Map<object, JsonRecord>()
  readonly #hoisted = new Map<object, JsonRecord>()
  readonly #definitions = new Map<string, JsonRecord>()

  constructor(dialect: SchemaDialect) {
    this.#dialect = dialect
  }

  convert(schema: JsonRecord): JsonRecord {
    return eachSchema(schema, this.#dialect.convert, this.#converted) as JsonRecord
  }

  /**
   * Moves converted schemas with a title into the definitions. Each reference keeps its own
   * description, nullability and example.
   * @throws Error when two different schemas have the same title.
   */
  hoist(schema: JsonRecord): JsonRecord {
    return eachSchema(schema, (each) => this.#define(each), this.#hoisted) as JsonRecord
  }

  /** The moved schemas by title, in alphabetical order. */
  definitions(): JsonRecord {
    return Object.fromEntries([...this.#definitions].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  #define(schema: JsonRecord): JsonRecord {
    const { title, description, example, 'x-nullable': nullable, 'x-shared': shared, ...shape } = schema
    if (typeof title !== 'string' || !(typeof shape.type === 'string' || shape.oneOf)) return schema
    const known = this.#definitions.get(title)
    const ownText = shared ?? descriptions[title]
    const definition = { title, description: ownText ?? known?.description ?? description, ...shape }
    if (known && JSON.stringify({ ...known, example: undefined }) !== JSON.stringify(definition))
      throw new Error(`Two different schemas have the title ${title}`)
    const isShared = ownText !== undefined
    const shownExample = isShared ? undefined : (known?.example ?? example)
    this.#definitions.set(title, { ...definition, ...withExample(shownExample) })
    return this.#dialect.refer(title, {
      ...(description === definition.description ? {} : { description }),
      ...(nullable ? { type: shape.type, 'x-nullable': true } : {}),
      ...(isShared ? withExample(example) : {})
    })
  }
}

/** A schema of a body with an example. The example of a POST shows the required members. */
export function withBodyExample(schema: JsonRecord, method: string): JsonRecord {
  const { 'x-example-members': _, ...members } = schema
  return { ...members, example: method === 'post' ? leastExampleOf(schema) : exampleOf(members) }
}

export const mapValues = <T, R>(record: Readonly<Record<string, T>>, map: (value: T, name: string) => R) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)])) as Record<
    string,
    R
  >
