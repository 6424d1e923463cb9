import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value, ValueErrorType } from '@sinclair/typebox/value'

/*
 * HL7 FHIR R4 ValueSet and CodeSystem as far as they are used here. A schema's description ends the sentence "<path> must be …".
 */

const Text = Type.String({ description: 'a text' })
const Flag = Type.Boolean({ description: 'true or false' })
const Count = Type.Integer({ description: 'a whole number' })
const Uri = Type.String({ pattern: '^\\S+$', description: 'a URI' })
/** https://hl7.org/fhir/R4/datatypes.html#code */
const Code = Type.String({ pattern: '^\\S+( \\S+)*$', description: 'a code, without spaces around it' })
const Things = <T extends TSchema>(each: T) => Type.Array(each, { description: 'a list' })
const Thing = <T extends Record<string, TSchema>>(members: T) =>
  Type.Object(members, { description: 'an object' })
const { Optional } = Type

const Include = Thing({
  system: Optional(Uri),
  version: Optional(Text),
  concept: Optional(Things(Thing({ code: Code, display: Optional(Text) }))),
  filter: Optional(Things(Type.Unknown())),
  valueSet: Optional(Things(Uri))
})
export type Include = Static<typeof Include>

const Contains = Type.Recursive((Self) =>
  Thing({
    system: Optional(Uri),
    code: Optional(Code),
    display: Optional(Text),
    abstract: Optional(Flag),
    contains: Optional(Things(Self))
  })
)
export type Contains = Static<typeof Contains>

const ValueSetDocument = Thing({
  resourceType: Type.Literal('ValueSet'),
  url: Uri,
  version: Optional(Text),
  compose: Optional(Thing({ include: Things(Include), exclude: Optional(Things(Include)) })),
  expansion: Optional(
    Thing({ total: Optional(Count), offset: Optional(Count), contains: Optional(Things(Contains)) })
  )
})
export type ValueSetDocument = Static<typeof ValueSetDocument>

const Concept = Type.Recursive((Self) =>
  Thing({
    code: Code,
    display: Optional(Text),
    property: Optional(Things(Thing({ code: Code, valueBoolean: Optional(Flag) }))),
    concept: Optional(Things(Self))
  })
)
export type Concept = Static<typeof Concept>

const CodeSystemDocument = Thing({
  resourceType: Type.Literal('CodeSystem'),
  url: Uri,
  version: Optional(Text),
  content: Optional(Text),
  concept: Optional(Things(Concept))
})
export type CodeSystemDocument = Static<typeof CodeSystemDocument>

const schemas: Readonly<Record<string, TSchema>> = {
  ValueSet: ValueSetDocument,
  CodeSystem: CodeSystemDocument
}

/** What is wrong with a resource as a ValueSet or CodeSystem of FHIR R4; empty when it is one. */
export function faultsOfForm(resource: unknown): string[] {
  if (typeof resource !== 'object' || resource === null || Array.isArray(resource))
    return ['is no FHIR resource: it must be a JSON object with a resourceType']
  const type = (resource as { resourceType?: unknown }).resourceType
  if (typeof type !== 'string') return ['is no FHIR resource: it has no resourceType']
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined
  if (!schema) return [`is a ${type}: only ValueSet and CodeSystem are read, alone or in a Bundle; remove it`]
  const faults = new Map<string, string>()
  for (const { path, type: kind, schema: wanted } of Value.Errors(schema, resource)) {
    const at = dotted(path)
    const missing = kind === ValueErrorType.ObjectRequiredProperty
    if (!faults.has(at)) faults.set(at, missing ? `${at} is missing` : `${at} must be ${wanted.description}`)
  }
  return [...faults.values()]
}

/** `/compose/include/0/system` as FHIR writes it: `compose.include[0].system`. */
const dotted = (pointer: string) =>
  pointer
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
