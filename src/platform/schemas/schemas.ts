import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { Limits } from '../../settings/config.js'
import { maxNormalizedLength } from '../json/validation.js'
import type { ResourceType } from '../rest/resource-urls.js'
import { exampleCoding, exampleId } from './examples.js'

/**
 * A schema that also admits null. Written as a list of types, not as a union: PostgreSQL's null is answered as null,
 * what is answered may be sent back, and the faults of a list of types are readable.
 */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'].flat() })
}

/** A member that may be absent or null on input. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

export const Enum = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, description })

/** An object that admits no other members than those named; with a title it is one of the document's definitions. */
export const Strict = <T extends Record<string, TSchema>>(members: T, description?: string, title?: string) =>
  Type.Object(members, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
    ...(title === undefined ? {} : { title })
  })

/** Schemas that many members share, by their titles, with what they are by themselves. */
export const sharedTypes = {
  Coding: 'A coded value after the HL7 FHIR Coding type.',
  CodingInput: 'A coded value after the HL7 FHIR Coding type, with system and code.',
  CodingOrCode: 'A coded value after the HL7 FHIR Coding type; its bare code, a string, is accepted as well.'
} as const

/** Schemas of input whose limits are settings. A last argument `example` goes into the documentation alone. */
export function inputSchemas(limits: Limits) {
  const Text = (description: string, example?: string, maxLength = limits.string) =>
    Type.String({
      maxLength,
      ...(maxLength === limits.string ? { [maxNormalizedLength]: maxLength } : {}),
      description,
      ...sample(example)
    })
  const Reference = (description: string, example?: string) =>
    Type.String({ maxLength: 2048, description, ...sample(example) })
  const Identifier = Strict(
    {
      system: Text('Namespace of the value, a URI.', 'urn:oid:1.2.208.999.1'),
      value: Text('The identifier itself, unique within the system.', 'MM-101'),
      assigner: Maybe(Text('Who assigned it.', 'Måneskær Medicoteknik ApS'))
    },
    'An identifier given by others.',
    'IdentifierInput'
  )
  return {
    Text,
    Reference,
    Identifiers: Maybe(
      Type.Array(Identifier, { maxItems: limits.referenceList, description: 'Identifiers given by others.' })
    ),
    /** A coding, or its bare code where the set is known from the field. */
    CodingOrCode: (description: string, example?: Coding) =>
      Type.Unsafe<CodingInput | string>({
        title: 'CodingOrCode',
        type: ['object', 'string'],
        maxLength: 255,
        properties: codingMembers,
        required: ['system', 'code'],
        additionalProperties: false,
        description,
        ...sample(example)
      }),
    Coding: (description: string, example?: Coding) =>
      Type.Unsafe<CodingInput>({
        title: 'CodingInput',
        type: 'object',
        properties: codingMembers,
        required: ['system', 'code'],
        additionalProperties: false,
        description,
        ...sample(example)
      })
  }
}
export type InputSchemas = ReturnType<typeof inputSchemas>

const sample = <T>(example: T | undefined) => (example === undefined ? {} : { example })

const codingSamples = exampleCoding('order-status', 'DRAFT', 'Draft')

const codingMembers = {
  system: {
    type: 'string',
    maxLength: 2048,
    description: 'Code system, a URI.',
    example: codingSamples.system
  },
  code: {
    type: 'string',
    maxLength: 255,
    description: 'Code within the system.',
    example: codingSamples.code
  },
  display: {
    type: ['string', 'null'],
    maxLength: 4000,
    description: 'Text for people; ignored on input.',
    example: codingSamples.display
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
    system: Type.String({ description: 'Code system, a URI.', example: codingSamples.system }),
    code: Type.String({ description: 'Code within the system.', example: codingSamples.code }),
    display: Nullable(
      Type.String({ description: 'Text for people; null where the set has none.', example: 'Draft' })
    )
  },
  { title: 'Coding', description: sharedTypes.Coding }
)
export type Coding = Static<typeof Coding>

/** A coding that means something of its own where it stands. */
export const CodingOf = (description: string, example: Coding) =>
  Type.Unsafe<Coding>({ ...Coding, description, example })

export const Identifier = Type.Object(
  {
    system: Type.String({ description: 'Namespace of the value, a URI.', example: 'urn:oid:1.2.208.999.1' }),
    value: Type.String({ description: 'The identifier itself.', example: 'MM-101' }),
    assigner: Nullable(Type.String({ description: 'Who assigned it.', example: 'Måneskær Medicoteknik ApS' }))
  },
  { title: 'Identifier', description: 'An identifier given by others.' }
)
export type Identifier = Static<typeof Identifier>

/** Identifiers as they are stored and answered: complete, absent members as null. */
export function identifiersOf(
  input: readonly { system: string; value: string; assigner?: string | null }[] | null | undefined
): Identifier[] {
  return (input ?? []).map(({ system, value, assigner }) => ({ system, value, assigner: assigner ?? null }))
}

/** The id of an answered resource. */
export const Id = (kind: ResourceType, label: string) =>
  Type.String({ description: 'Id given by the server; opaque.', example: exampleId(kind, label) })

/** On create the server gives the id: null or absent. */
export const NoId = Type.Optional(
  Type.Unsafe<null>({ type: 'null', description: 'Null or absent: the server gives the id.' })
)

export const Url = (description: string, example?: string) =>
  Type.String({ format: 'uri', description, ...sample(example) })

/** Milliseconds and `Z`, always. */
export const Timestamp = (description: string, example: string) =>
  Type.String({ description, format: 'date-time', example })

/** Path parameters of a resource; an id that can be none names nothing (404). */
export const ById = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    description: 'Id of the resource.'
  })
})

/** For routes that take no query parameters: an unknown one is refused, as an unknown field is. */
export const NoQuery = Type.Object({}, { additionalProperties: false })

export const Empty = Type.Unsafe<void>({ type: 'null', description: 'No body.' })

const FieldProblem = Type.Object(
  {
    pointer: Type.String({ description: 'RFC 6901 pointer to the field in the body.' }),
    code: Type.String({ description: 'Which rule the field breaks.' }),
    detail: Type.String({ description: 'What to do.' })
  },
  { title: 'FieldProblem', description: 'One thing that is wrong with one field.' }
)

/** Body of every answer from 400 up, after RFC 9457. */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'URN of the kind of problem: `urn:problem:` and the code.' }),
    title: Type.String({ description: 'The kind of problem, for people.' }),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: Type.String({ description: 'What is wrong here and what to do.' }),
    instance: Type.String({ description: 'Id of the request, as in the log.' }),
    code: Type.String({ description: 'Stable code of the kind of problem.' }),
    errors: Type.Optional(
      Type.Array(FieldProblem, { description: 'The faulty fields; absent where no field is at fault.' })
    )
  },
  { title: 'Problem', description: 'What went wrong (RFC 9457, with a code and the faulty fields).' }
)

/** Answers of the given statuses, each with the problem body. */
export const problemResponses = <const S extends readonly number[]>(...statuses: S) =>
  Object.fromEntries(statuses.map((status) => [status, ProblemBody])) as {
    [K in S[number]]: typeof ProblemBody
  }
