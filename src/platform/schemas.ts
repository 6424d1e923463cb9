import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { Limits } from '../../fastify.config.js'

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

/** An object that admits no other members than those named. */
export const Strict = <T extends Record<string, TSchema>>(members: T, description?: string) =>
  Type.Object(members, { additionalProperties: false, ...(description === undefined ? {} : { description }) })

/** Schemas of input whose limits are settings. */
export function inputSchemas(limits: Limits) {
  const Text = (description: string, maxLength = limits.string) => Type.String({ maxLength, description })
  const Reference = (description: string) => Type.String({ maxLength: 2048, description })
  const Identifier = Strict({
    system: Text('Namespace of the value, a URI.'),
    value: Text('The identifier itself, unique within the system.'),
    assigner: Maybe(Text('Who assigned it.'))
  })
  return {
    Text,
    Reference,
    Identifiers: Maybe(
      Type.Array(Identifier, { maxItems: limits.referenceList, description: 'Identifiers given by others.' })
    ),
    /** A coding, or its bare code where the set is known from the field. */
    CodingOrCode: (description: string) =>
      Type.Unsafe<CodingInput | string>({
        type: ['object', 'string'],
        maxLength: 255,
        properties: codingMembers,
        required: ['system', 'code'],
        additionalProperties: false,
        description
      }),
    Coding: (description: string) =>
      Type.Unsafe<CodingInput>({
        type: 'object',
        properties: codingMembers,
        required: ['system', 'code'],
        additionalProperties: false,
        description
      })
  }
}
export type InputSchemas = ReturnType<typeof inputSchemas>

const codingMembers = {
  system: { type: 'string', maxLength: 2048, description: 'Code system, a URI.' },
  code: { type: 'string', maxLength: 255, description: 'Code within the system.' },
  display: { type: ['string', 'null'], maxLength: 4000, description: 'Ignored on input.' }
}

export interface CodingInput {
  system: string
  code: string
  display?: string | null
}

export const Coding = Type.Object(
  {
    system: Type.String({ description: 'Code system, a URI.' }),
    code: Type.String({ description: 'Code within the system.' }),
    display: Nullable(Type.String({ description: 'Text for people.' }))
  },
  { description: 'A coded value after the HL7 FHIR Coding type.' }
)
export type Coding = Static<typeof Coding>

export const Identifier = Type.Object({
  system: Type.String({ description: 'Namespace of the value, a URI.' }),
  value: Type.String({ description: 'The identifier itself.' }),
  assigner: Nullable(Type.String({ description: 'Who assigned it.' }))
})
export type Identifier = Static<typeof Identifier>

/** Identifiers as they are stored and answered: complete, absent members as null. */
export function identifiersOf(
  input: readonly { system: string; value: string; assigner?: string | null }[] | null | undefined
): Identifier[] {
  return (input ?? []).map(({ system, value, assigner }) => ({ system, value, assigner: assigner ?? null }))
}

export const Id = Type.String({ description: 'Id given by the server; opaque.' })

/** On create the server gives the id: null or absent. */
export const NoId = Type.Optional(
  Type.Unsafe<null>({ type: 'null', description: 'The server gives the id.' })
)

export const Url = (description: string) => Type.String({ description })

/** Milliseconds and `Z`, always. */
export const Timestamp = (description: string) => Type.String({ description, format: 'date-time' })

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

/** Body of every answer from 400 up, after RFC 9457. */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'URN of the kind of problem.' }),
    title: Type.String({ description: 'The kind of problem, for people.' }),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: Type.String({ description: 'What is wrong here and what to do.' }),
    instance: Type.String({ description: 'Id of the request, as in the log.' }),
    code: Type.String({ description: 'Stable code of the kind of problem.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({ description: 'RFC 6901 pointer to the field.' }),
          code: Type.String({ description: 'Which rule the field breaks.' }),
          detail: Type.String({ description: 'What to do.' })
        })
      )
    )
  },
  { description: 'What went wrong (RFC 9457, with a code and the faulty fields).' }
)

/** Answers of the given statuses, each with the problem body. */
export const problems = <const S extends readonly number[]>(...statuses: S) =>
  Object.fromEntries(statuses.map((status) => [status, ProblemBody])) as {
    [K in S[number]]: typeof ProblemBody
  }
