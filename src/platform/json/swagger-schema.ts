export type JsonRecord = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Maps each schema within a value once, innermost schemas first. Skips examples. */
export function eachSchema(
  value: unknown,
  change: (schema: JsonRecord) => JsonRecord,
  mapped = new Map<object, JsonRecord>()
): unknown {
  if (Array.isArray(value)) return value.map((each) => eachSchema(each, change, mapped))
  if (!isObject(value)) return value
  const known = mapped.get(value)
  if (known) return known
  const inside = Object.entries(value).map(([name, member]) => [
    name,
    name === 'example' || name === 'examples' ? member : eachSchema(member, change, mapped)
  ])
  const changed = change(Object.fromEntries(inside))
  mapped.set(value, changed)
  return changed
}

export type CodesOf = (valueSet: string) => readonly string[]

type Conversion = (schema: JsonRecord, value: unknown, codesOf: CodesOf) => JsonRecord

/**
 * The conversion of each keyword, in this order. For lists of types, null and oneOf OpenAPI 2.0 has
 * only `x-alternative-types`, `x-nullable`, `x-null-only` and `x-required`.
 */
const conversions: Readonly<Record<string, Conversion>> = {
  // The form that the documents show, which has been converted before its container.
  'x-document': (schema, form) => (isObject(form) ? form : schema),
  // The type that the documents show if there are several.
  'x-documented-type': ({ 'x-documented-type': _, ...schema }, wanted) => ({
    ...schema,
    type: [wanted, ...(schema.type as string[]).filter((each) => each !== wanted)]
  }),
  type: singleType,
  // The value set or sets whose codes are listed.
  'x-value-set': listCodes,
  discriminator: mergeAlternatives
}

/** Keywords for the documents, which validation ignores. The last two are not converted. */
export const documentKeywords = [
  ...Object.keys(conversions).filter((keyword) => keyword.startsWith('x-')),
  'x-with-parameter',
  'x-example-members'
]

/** Converts a schema whose members have been converted to OpenAPI 2.0. */
export const swagger2Schema = (schema: JsonRecord, codesOf: CodesOf): JsonRecord =>
  Object.entries(conversions).reduce(
    (each, [keyword, convert]) => (keyword in each ? convert(each, each[keyword], codesOf) : each),
    schema
  )

/** Keywords that apply to one type of values. A title names an object. */
export const TYPE_KEYWORDS = {
  string: ['maxLength', 'minLength', 'pattern', 'format'],
  object: ['title', 'properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems']
} as const satisfies Record<string, readonly string[]>

/** Takes the first of several types, without the keywords of the other types. */
function singleType(schema: JsonRecord, given: unknown): JsonRecord {
  if (given === 'null') return { ...schema, type: 'string', 'x-nullable': true, 'x-null-only': true }
  if (!Array.isArray(given)) return schema
  const [type, ...others] = given.filter((name) => name !== 'null')
  const foreign: readonly string[] = type === 'string' ? TYPE_KEYWORDS.object : TYPE_KEYWORDS.string
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([name]) => !foreign.includes(name))),
    type,
    ...(given.includes('null') && { 'x-nullable': true }),
    ...(others.length > 0 && { 'x-alternative-types': others })
  }
}

/** Lists the codes of a code's or coding's value set. The coding gets a separate definition. */
export function listCodes(schema: JsonRecord, set: unknown, codesOf: CodesOf): JsonRecord {
  const sets = [set].flat() as string[]
  const codes = [...new Set(sets.flatMap(codesOf))]
  if (schema.type !== 'object') return { ...schema, enum: codes }
  const { system, code, display = {}, ...others } = schema.properties as Record<string, JsonRecord>
  const { example: _, ...displayWithoutExample } = display
  const isInput = schema.additionalProperties === false
  return {
    ...schema,
    title: Array.isArray(set) ? schema.title : `${pascalCase(sets[0] ?? '')}Coding${isInput ? 'Input' : ''}`,
    'x-shared': `A code of the value set ${sets.join(' or ')}, after the HL7 FHIR Coding type.`,
    properties: {
      system: { ...system, example: `valuesets:/${sets[0]}` },
      code: { ...code, enum: codes, example: codes[0] },
      display: displayWithoutExample,
      ...others
    }
  }
}

const pascalCase = (name: string) => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

interface Alternative {
  properties: Record<string, JsonRecord>
  required: string[]
  additionalProperties?: boolean
}

/**
 * Merges the alternatives of a discriminator. `x-required` lists the members that each alternative
 * requires.
 */
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

/** Merges members. A member that only one alternative allows becomes nullable. */
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
  if (one['x-null-only'] === other['x-null-only']) return other
  return { ...(other['x-null-only'] ? one : other), 'x-nullable': true }
}

/** The example of a schema, or one composed of the examples of its members, if any. */
export function exampleOf(schema: JsonRecord): unknown {
  if ('example' in schema) return schema.example
  if (Array.isArray(schema.oneOf)) return exampleOf(schema.oneOf[0])
  if ([schema.type].flat()[0] === 'array') {
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

/** The required members of the example of a schema, and those that `x-example-members` names. */
export function leastExampleOf(schema: JsonRecord, example = exampleOf(schema)): unknown {
  if (Array.isArray(example)) {
    const item = (schema.items ?? {}) as JsonRecord
    return example.map((each) => leastExampleOf(item, each))
  }
  if (!isObject(schema.properties) || !isObject(example)) return example
  const { properties, required = [], 'x-required': byTag, 'x-example-members': more = [] } = schema
  const needs = isObject(byTag) ? byTag[String(example[String(byTag.by)])] : []
  const shown = [required, needs, more].flat() as string[]
  return Object.fromEntries(
    shown.map((name) => [name, leastExampleOf((properties[name] ?? {}) as JsonRecord, example[name])])
  )
}
