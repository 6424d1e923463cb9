import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { maxNormalizedLength } from '../json/validation.js'
import type { ResourceType } from '../rest/resource-urls.js'
import { exampleCoding, exampleId } from './examples.js'

/**
 * Makes a schema nullable. Uses a list of types instead of a union, because the validation errors
 * of a list of types are readable.
 */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'].flat() })
}

/** A member that may be absent or null on input. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

export const Enum = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, description })

/** An object without additional members. A title makes it a definition of the OpenAPI document. */
export const Strict = <T extends Record<string, TSchema>>(members: T, description?: string, title?: string) =>
  Type.Object(members, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
    ...(title === undefined ? {} : { title })
  })

/** Descriptions of the shared schemas, by title. */
export const sharedTypes = {
  Coding: 'A coded value after the HL7 FHIR Coding type.',
  CodingInput: 'A coded value after the HL7 FHIR Coding type, with system and code.',
  CodingOrCode: 'A coded value after the HL7 FHIR Coding type. Its code as a string is accepted as well.'
} as const

/**
 * Makes the input schemas. `example` is for the documentation only.
 * @param limits the maximum length of a text, and of a list of references or identifiers.
 */
export function inputSchemas(limits: { string: number; referenceList: number }) {
  const Text = (description: string, example?: string, maxLength = limits.string) =>
    Type.String({
      maxLength,
      ...(maxLength === limits.string ? { [maxNormalizedLength]: maxLength } : {}),
      description,
      ...exampleOf(example)
    })
  const Reference = (description: string, example?: string) =>
    Type.String({ maxLength: 2048, description, ...exampleOf(example) })
  const Identifier = Strict(
    {
      system: Text('Namespace of the value, a URI.', 'urn:oid:1.2.208.999.1'),
      value: Text('The identifier itself, unique within the system.', 'MM-101'),
      assigner: Maybe(Text('Who assigned it.', 'Måneskær Medicoteknik ApS'))
    },
    'An identifier assigned by another party.',
    'IdentifierInput'
  )
  return {
    Text,
    Reference,
    /** A schema with the limits of {@link Text}, if its values are texts. */
    withTextLimit: <T extends TSchema>(schema: T): T =>
      schema.type === 'string'
        ? { maxLength: limits.string, [maxNormalizedLength]: limits.string, ...schema }
        : schema,
    Identifiers: Maybe(
      Type.Array(Identifier, {
        maxItems: limits.referenceList,
        description: 'Identifiers assigned by other parties.'
      })
    ),
    /** A coding, or its code when the field determines the set. */
    CodingOrCode: (description: string, example?: Coding) =>
      Type.Unsafe<CodingInput | string>({
        title: 'CodingOrCode',
        type: ['object', 'string'],
        maxLength: 255,
        properties: codingMembers,
        required: ['system', 'code'],
        additionalProperties: false,
        description,
        ...exampleOf(example)
      }),
    Coding: (description: string, example?: Coding) =>
      Type.Unsafe<CodingInput>({
        title: 'CodingInput',
        type: 'object',
        properties: codingMembers,
        required: ['system', 'code'],
        additionalProperties: false,
        description,
        ...exampleOf(example)
      })
  }
}
export type InputSchemas = ReturnType<typeof inputSchemas>

const exampleOf = <T>(example: T | undefined) => (example === undefined ? {} : { example })

const codingExample = exampleCoding('order-status', 'DRAFT', 'Draft')

const codingMembers = {
  system: {
    type: 'string',
    maxLength: 2048,
    description: 'Code system, a URI.',
    example: codingExample.system
  },
  code: {
    type: 'string',
    maxLength: 255,
    description: 'Code within the system.',
    example: codingExample.code
  },
  display: {
    type: ['string', 'null'],
    maxLength: 4000,
    description: 'Text for people; ignored on input.',
    example: codingExample.display
  },
  version: {
    type: ['string', 'null'],
    maxLength: 255,
    description: 'Version of the code system; ignored on input.'
  },
  userSelected: {
    type: ['boolean', 'null'],
    description: 'Whether a person chose the code; ignored on input.'
  }
}

export interface CodingInput {
  system: string
  code: string
  display?: string | null
  version?: string | null
  userSelected?: boolean | null
}

export const Coding = Type.Object(
  {
    system: Type.String({ description: 'Code system, a URI.', example: codingExample.system }),
    code: Type.String({ description: 'Code within the system.', example: codingExample.code }),
    display: Nullable(
      Type.String({ description: 'Text for people. Null when the set has none.', example: 'Draft' })
    )
  },
  { title: 'Coding', description: sharedTypes.Coding }
)
export type Coding = Static<typeof Coding>

/** A coding with its own description. */
export const CodingOf = (description: string, example: Coding) =>
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

/** Completes identifiers for storage and responses: absent members become null. */
export function identifiersOf(
  input: readonly { system: string; value: string; assigner?: string | null }[] | null | undefined
): Identifier[] {
  return (input ?? []).map(({ system, value, assigner }) => ({ system, value, assigner: assigner ?? null }))
}

/** The id of a returned resource. */
export const Id = (type: ResourceType, label: string) =>
  Type.String({ description: 'Opaque id, assigned by the server.', example: exampleId(type, label) })

/** The id in the body of a create: null or absent. */
export const NoId = Type.Optional(
  Type.Unsafe<null>({ type: 'null', description: 'Null or absent. The server assigns the id.' })
)

export const Url = (description: string, example?: string) =>
  Type.String({ format: 'uri', description, ...exampleOf(example) })

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

/** Query string of routes without query parameters. Unknown ones are refused. */
export const NoQuery = Type.Object({}, { additionalProperties: false })

export const Empty = Type.Unsafe<void>({ type: 'null', description: 'No body.' })

const FieldProblem = Type.Object(
  {
    pointer: Type.String({ description: 'RFC 6901 pointer to the field in the body.' }),
    code: Type.String({ description: 'Which rule the field violates.' }),
    detail: Type.String({ description: 'What to change.' })
  },
  { title: 'FieldProblem', description: 'A validation error of one field.' }
)

/** Body of every response from 400 up (RFC 9457). */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'URN of the problem type: `urn:problem:` and the code.' }),
    title: Type.String({ description: 'The problem type, for people.' }),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: Type.String({ description: 'What is wrong and what to do.' }),
    instance: Type.String({ description: 'Id of the request, as in the log.' }),
    code: Type.String({ description: 'Stable code of the problem type.' }),
    errors: Type.Optional(
      Type.Array(FieldProblem, { description: 'The invalid fields. Absent when no field is invalid.' })
    )
  },
  { title: 'Problem', description: 'A problem (RFC 9457) with a code and the invalid fields.' }
)

/** Response schemas of problems, by status. */
export const problemResponses = <const S extends readonly number[]>(...statuses: S) =>
  Object.fromEntries(statuses.map((status) => [status, ProblemBody])) as {
    [K in S[number]]: typeof ProblemBody
  }
