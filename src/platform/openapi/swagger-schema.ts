export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Applies a change to each schema within a value, innermost first; examples are left as they are. */
export function eachSchema(value: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((each) => eachSchema(each, change))
  if (!isObject(value)) return value
  const inside = Object.entries(value).map(([name, member]) => [
    name,
    name === 'example' || name === 'examples' ? member : eachSchema(member, change)
  ])
  return change(Object.fromEntries(inside))
}

/** OpenAPI 2.0 knows neither lists of types nor null nor oneOf: a nullable type is marked, alternatives are merged. */
export const toSwagger2 = (value: unknown) => eachSchema(value, (schema) => merged(single(nothing(schema))))

/** What can be null alone is nothing that a caller sends. */
const nothing = (schema: Json): Json =>
  schema.type === 'null' ? { ...schema, type: 'string', readOnly: true, 'x-nullable': true } : schema

const ofStrings = ['maxLength', 'minLength', 'pattern', 'format']

function single(schema: Json): Json {
  if (!Array.isArray(schema.type)) return schema
  const [type, ...others] = (schema.type as string[]).filter((name) => name !== 'null')
  const nullable = schema.type.includes('null') ? { 'x-nullable': true } : {}
  const also = others.length > 0 ? { 'x-alternative-types': others } : {}
  const kept = Object.entries(schema).filter(([name]) => type === 'string' || !ofStrings.includes(name))
  return { ...Object.fromEntries(kept), type, ...nullable, ...also }
}

interface Alternative {
  properties: Record<string, Json>
  required: string[]
  additionalProperties?: boolean
}

/** Alternatives told apart by a member become one object; `x-required` tells what each of them needs besides. */
function merged(schema: Json): Json {
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
      ...alternatives.map(({ properties }) => properties).reduce(joined),
      [tag]: { ...alternatives[0]?.properties[tag], enum: alternatives.flatMap(namesOf) }
    }
  }
}

/** The members of both; what must be null in one of them is as the other has it, and can be null. */
function joined(some: Record<string, Json>, others: Record<string, Json>): Record<string, Json> {
  const members = Object.entries(others).map(([name, other]) => [name, either(some[name] ?? other, other)])
  return { ...some, ...Object.fromEntries(members) }
}

function either(one: Json, other: Json): Json {
  if (one.readOnly === other.readOnly) return other
  return { ...(other.readOnly ? one : other), 'x-nullable': true }
}

/** A value after a schema: its own example, else put together of those of its members; undefined where there is none. */
export function exampleOf(schema: Json): unknown {
  if ('example' in schema) return schema.example
  if (schema.type === 'array') {
    const item = exampleOf((schema.items ?? {}) as Json)
    return item === undefined ? [] : [item]
  }
  if (!isObject(schema.properties)) return undefined
  const members = Object.entries(schema.properties).map(([name, member]) => [name, exampleOf(member as Json)])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}
