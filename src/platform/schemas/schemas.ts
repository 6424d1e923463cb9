import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import type { ResourceType } from '../urls/resource-urls.js'
import { exampleCoding, exampleId, valueSetOf } from './examples.js'
import { eachField, type Fields, type FieldValue } from './fields.js'

/** A list of types instead of a union, because its validation errors are readable. */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'].flat() })
}

/** The members of a response for fields. */
export const responseMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => Nullable(schema)) as { [K in keyof F]: TUnsafe<FieldValue<F[K]>> }

/** A member that may be absent or null on input. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

export const Enum = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, description })

/** A returned code of a closed set. */
export const CodeOf = (values: readonly string[], description: string, example: string) =>
  Type.Unsafe<string>({ ...Enum(values, description), example })

/** An object without additional members. A title makes it a definition of the OpenAPI document. */
export const Strict = <T extends Record<string, TSchema>>(members: T, description?: string, title?: string) =>
  Type.Object(members, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
    ...(title === undefined ? {} : { title })
  })

/** A schema of input that the documents show in another form, such as without former names. */
export const documentedAs = <T extends TSchema>(schema: T, documented: TSchema): T => ({
  ...schema,
  'x-document': documented
})

/** Descriptions of the shared schemas, by title. */
export const sharedTypes = {
  Coding: 'A coded value after the HL7 FHIR Coding type.',
  CodingInput: 'A coded value after the HL7 FHIR Coding type, with system and code.',
  CodingOrCode: 'A coded value after the HL7 FHIR Coding type. Its code as a string is accepted as well.'
} as const

export const withExample = <T>(example: T | undefined) => (example === undefined ? {} : { example })

export const codingExample = exampleCoding('order-status', 'DRAFT', 'Draft')

export const Coding = Type.Object(
  {
    system: Type.String({ description: 'Code system, a URI.', example: codingExample.system }),
    code: Type.String({ description: 'Code within the system.', example: codingExample.code }),
    display: Nullable(
      Type.String({
        description: 'Text for people. Null if the value set has no display for the code.',
        example: 'Draft'
      })
    )
  },
  { title: 'Coding', description: sharedTypes.Coding }
)
export type Coding = Static<typeof Coding>

/**
 * The documents list the codes if the example is of a closed value set (see {@link exampleCoding}).
 */
export const CodingOf = (description: string, example: Coding) =>
  Type.Unsafe<Coding>({ ...Coding, ...valueSetOf(example), description, example })

export const AnyCoding = (description: string, example: Coding) =>
  Type.Unsafe<Coding>({ ...Coding, description, example })

export const Identifier = Type.Object(
  {
    system: Type.String({ description: 'Namespace of the value, a URI.', example: 'urn:oid:1.2.208.999.1' }),
    value: Type.String({ description: 'The identifier itself.', example: 'MM-101' }),
    assigner: Nullable(Type.String({ description: 'Who assigned it.', example: 'Måneskær Medicoteknik ApS' }))
  },
  { title: 'Identifier', description: 'An identifier assigned by another party.' }
)
export type Identifier = Static<typeof Identifier>

export const Id = (type: ResourceType, label: string) =>
  Type.String({ description: 'Opaque id, assigned by the server.', example: exampleId(type, label) })

/**
 * A member of input that is null or absent: clients may send a copy of a resource.
 * @param why the caller sends no value, as a sentence.
 */
export const NullOnly = (why: string) =>
  Type.Optional(Type.Unsafe<null>({ type: 'null', description: `Null or absent. ${why}` }))

/** The id in the body of a create: null or absent. */
export const NoId = NullOnly('The server assigns the id.')

export const Url = (description: string, example?: string) =>
  Type.String({ format: 'uri', description, ...withExample(example) })

/** Timestamp in UTC with milliseconds and `Z`. */
export const Timestamp = (description: string, example: string) =>
  Type.String({ description, format: 'date-time', example })

/** Path parameters of a resource. A malformed id gets 404. */
export const ById = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    description: 'Id of the resource.'
  })
})

/** Query string of routes without query parameters. Unknown parameters are rejected. */
export const NoQuery = Type.Object({}, { additionalProperties: false })

export const Empty = Type.Unsafe<void>({ type: 'null', description: 'No body.' })
