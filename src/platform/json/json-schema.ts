import { type CodesOf, isObject, type JsonRecord, listCodes, TYPE_KEYWORDS } from './swagger-schema.js'

/**
 * Keywords of one type of values. The part of a union for this type omits the keywords of other
 * types.
 */
const keywordsOfOthers = (type: string): readonly string[] =>
  Object.entries(TYPE_KEYWORDS).flatMap(([name, keywords]) => (name === type ? [] : keywords))

/** Converts a schema whose members have been converted to OpenAPI 3.1, which is JSON Schema. */
export function openApi31Schema(given: JsonRecord, codesOf: CodesOf): JsonRecord {
  const { 'x-document': form, 'x-with-parameter': forms, ...others } = given
  if (isObject(form)) return form
  const { 'x-documented-type': _, collectionFormat: __, ...schema } = others
  const converted = isObject(schema.discriminator) ? withNamedAlternatives(schema) : union(schema, codesOf)
  return isObject(forms) ? { oneOf: [converted, ...Object.values(forms)] } : converted
}

/** A schema of several types, or a nullable schema, as a union of schemas. */
function union(schema: JsonRecord, codesOf: CodesOf): JsonRecord {
  const types = [schema.type].flat().filter((type) => typeof type === 'string')
  const [first, ...others] = types.filter((type) => type !== 'null')
  if (first === undefined) return schema
  const isNullable = types.includes('null')
  if (others.length === 0 && !(isNullable && schema.title))
    return nullable(partOf(schema, first, codesOf), isNullable)
  const { description, example, title, ...shape } = schema
  const parts = [first, ...others].map((type) => partOf({ title, ...shape }, type, codesOf))
  return {
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    oneOf: [...parts, ...(isNullable ? [{ type: 'null' }] : [])]
  }
}

function nullable(schema: JsonRecord, isNullable: boolean): JsonRecord {
  if (!isNullable) return schema
  const { type, enum: codes } = schema
  return { ...schema, type: [type, 'null'], ...(Array.isArray(codes) ? { enum: [...codes, null] } : {}) }
}

/** The part of a schema for one type, with the codes of its value set. */
function partOf(schema: JsonRecord, type: string, codesOf: CodesOf): JsonRecord {
  const foreign = keywordsOfOthers(type)
  const part = Object.fromEntries(Object.entries(schema).filter(([name]) => !foreign.includes(name)))
  const set = part['x-value-set']
  return set === undefined ? { ...part, type } : listCodes({ ...part, type }, set, codesOf)
}

/** A discriminator needs alternatives with names. */
function withNamedAlternatives({ type: _, required: __, ...schema }: JsonRecord): JsonRecord {
  const { propertyName } = schema.discriminator as { propertyName: string }
  const alternatives = schema.oneOf as { properties: Record<string, { enum: string[] }> }[]
  const titleOf = (tag: string) => `${schema.title}${tag.charAt(0).toUpperCase()}${tag.slice(1)}`
  const tags = alternatives.map(({ properties }) => properties[propertyName]?.enum[0] ?? '')
  return {
    ...schema,
    oneOf: alternatives.map((each, at) => ({ ...each, title: titleOf(tags[at] ?? '') })),
    discriminator: {
      propertyName,
      mapping: Object.fromEntries(tags.map((tag) => [tag, `#/components/schemas/${titleOf(tag)}`]))
    }
  }
}
