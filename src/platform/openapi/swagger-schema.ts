export type JsonRecord = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Maps each schema within a value, innermost first. Skips examples. */
export function eachSchema(value: unknown, change: (schema: JsonRecord) => JsonRecord): unknown {
  if (Array.isArray(value)) return value.map((each) => eachSchema(each, change))
  if (!isObject(value)) return value
  const inside = Object.entries(value).map(([name, member]) => [
    name,
    name === 'example' || name === 'examples' ? member : eachSchema(member, change)
  ])
  return change(Object.fromEntries(inside))
}

/**
 * Converts schemas to OpenAPI 2.0, which has no lists of types, null or oneOf: marks nullable types
 * and merges alternatives.
 */
export const toSwagger2 = (value: unknown) =>
  eachSchema(value, (schema) => mergeAlternatives(singleType(nullOnly(schema))))

/** Converts a schema that only allows null to a read-only one. */
const nullOnly = (schema: JsonRecord): JsonRecord =>
  schema.type === 'null' ? { ...schema, type: 'string', readOnly: true, 'x-nullable': true } : schema

const STRING_KEYWORDS = ['maxLength', 'minLength', 'pattern', 'format']

function singleType(schema: JsonRecord): JsonRecord {
  if (!Array.isArray(schema.type)) return schema
  const [type, ...others] = (schema.type as string[]).filter((name) => name !== 'null')
  const nullable = schema.type.includes('null') ? { 'x-nullable': true } : {}
  const also = others.length > 0 ? { 'x-alternative-types': others } : {}
  const kept = Object.entries(schema).filter(([name]) => type === 'string' || !STRING_KEYWORDS.includes(name))
  return { ...Object.fromEntries(kept), type, ...nullable, ...also }
}

interface Alternative {
  properties: Record<string, JsonRecord>
  required: string[]
  additionalProperties?: boolean
}

/** Merges the alternatives of a discriminator. `x-required` lists what each requires. */
function mergeAlternatives(schema: JsonRecord): JsonRecord {
  const { oneOf, discriminator, ...rest } = schema
  if (!Array.isArray(oneOf) || !isObject(discriminator)) return schema
  const alternatives = oneOf as Alternative[]
  const tag = discriminator.propertyName as string
  const required = alternatives
    .map((each) => each.required)
    .reduce((all, each) => all.filter((name) => each.includes(name)))
  const namesOf = ({ properties }: Alternative) => (properties[tag] as { enum: string[] }).enum
  const needs = alternatives.flatMap((each) =>
    namesOf(each).map((name) => [name, each.required.filter((member) => !required.includes(member))])
  )
  return {
    ...rest,
    type: 'object',
    required,
    ...(alternatives.every((each) => each.additionalProperties === false)
      ? { additionalProperties: false }
      : {}),
    'x-required': { by: tag, ...Object.fromEntries(needs) },
    properties: {
      ...alternatives.map(({ properties }) => properties).reduce(mergeMembers),
      [tag]: { ...alternatives[0]?.properties[tag], enum: alternatives.flatMap(namesOf) }
    }
  }
}

/** Merges members. One that only one alternative allows becomes nullable. */
function mergeMembers(
  some: Record<string, JsonRecord>,
  others: Record<string, JsonRecord>
): Record<string, JsonRecord> {
  const members = Object.entries(others).map(([name, other]) => [
    name,
    mergeMember(some[name] ?? other, other)
  ])
  return { ...some, ...Object.fromEntries(members) }
}

function mergeMember(one: JsonRecord, other: JsonRecord): JsonRecord {
  if (one.readOnly === other.readOnly) return other
  return { ...(other.readOnly ? one : other), 'x-nullable': true }
}

/** The example of a schema, or one composed of the examples of its members, if any. */
export function exampleOf(schema: JsonRecord): unknown {
  if ('example' in schema) return schema.example
  if (schema.type === 'array') {
    const item = exampleOf((schema.items ?? {}) as JsonRecord)
    return item === undefined ? [] : [item]
  }
  if (!isObject(schema.properties)) return undefined
  const members = Object.entries(schema.properties).map(([name, member]) => [
    name,
    exampleOf(member as JsonRecord)
  ])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}
