import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value, ValueErrorType } from '@sinclair/typebox/value'

/*
 * The parts of HL7 FHIR R4 ValueSet and CodeSystem that are used. The description of a schema
 * completes the sentence "<path> must be …".
 */

const Text = Type.String({ description: 'a text' })
const Count = Type.Integer({ description: 'a whole number' })
const Uri = Type.String({ pattern: '^\\S+$', description: 'a URI' })
/** https://hl7.org/fhir/R4/datatypes.html#code */
const Code = Type.String({ pattern: '^\\S+( \\S+)*$', description: 'a code, without spaces around it' })
const ListOf = <T extends TSchema>(each: T) => Type.Array(each, { description: 'a list' })
const ObjectOf = <T extends Record<string, TSchema>>(members: T) =>
  Type.Object(members, { description: 'an object' })
const { Optional } = Type

/** A display in the language of the resource, and in other languages. */
const displays = {
  display: Optional(Text),
  designation: Optional(ListOf(ObjectOf({ language: Optional(Text), value: Text })))
}

const Include = ObjectOf({
  system: Optional(Uri),
  version: Optional(Text),
  concept: Optional(ListOf(ObjectOf({ code: Code, ...displays }))),
  filter: Optional(ListOf(Type.Unknown())),
  valueSet: Optional(ListOf(Uri))
})
export type Include = Static<typeof Include>

/** The property of an abstract concept, which groups other concepts and is not a value. */
const NOT_ABSTRACT = 'because all codes are values; remove the concept'
const NotSelectable = Type.Object({ code: Type.Literal('notSelectable'), valueBoolean: Type.Literal(true) })

const Contains = Type.Recursive((Self) =>
  ObjectOf({
    system: Optional(Uri),
    code: Optional(Code),
    ...displays,
    abstract: Optional(Type.Literal(false, { description: `false, ${NOT_ABSTRACT}` })),
    contains: Optional(ListOf(Self))
  })
)

const ValueSetDocument = ObjectOf({
  resourceType: Type.Literal('ValueSet'),
  url: Uri,
  language: Optional(Text),
  compose: Optional(ObjectOf({ include: ListOf(Include), exclude: Optional(Type.Unknown()) })),
  expansion: Optional(
    ObjectOf({ total: Optional(Count), offset: Optional(Count), contains: Optional(ListOf(Contains)) })
  )
})
export type ValueSetDocument = Static<typeof ValueSetDocument>

const Concept = Type.Recursive((Self) =>
  ObjectOf({
    code: Code,
    ...displays,
    property: Optional(
      ListOf(Type.Not(NotSelectable, { description: `other than notSelectable, ${NOT_ABSTRACT}` }))
    ),
    concept: Optional(ListOf(Self))
  })
)

const CodeSystemDocument = ObjectOf({
  resourceType: Type.Literal('CodeSystem'),
  url: Uri,
  language: Optional(Text),
  content: Optional(Text),
  concept: Optional(ListOf(Concept))
})
export type CodeSystemDocument = Static<typeof CodeSystemDocument>

const schemas: Readonly<Record<string, TSchema>> = {
  ValueSet: ValueSetDocument,
  CodeSystem: CodeSystemDocument
}

/** The errors of a resource that is not a valid ValueSet or CodeSystem of FHIR R4. */
export function schemaErrors(resource: unknown): string[] {
  if (typeof resource !== 'object' || resource === null || Array.isArray(resource))
    return ['is not a FHIR resource: it must be a JSON object with a resourceType']
  const type = (resource as { resourceType?: unknown }).resourceType
  if (typeof type !== 'string') return ['is not a FHIR resource: it has no resourceType']
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined
  if (!schema)
    return [`is a ${type}: only ValueSet and CodeSystem are supported, also in a Bundle; remove it`]
  const errors = new Map<string, string>()
  for (const { path, type: kind, schema: expected } of Value.Errors(schema, resource)) {
    const fhirPath = toFhirPath(path)
    const isMissing = kind === ValueErrorType.ObjectRequiredProperty
    if (!errors.has(fhirPath))
      errors.set(
        fhirPath,
        isMissing ? `${fhirPath} is missing` : `${fhirPath} must be ${expected.description}`
      )
  }
  return [...errors.values()]
}

/** `/compose/include/0/system` in FHIR notation: `compose.include[0].system`. */
const toFhirPath = (pointer: string) =>
  pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
