import { type TSchema, Type } from '@sinclair/typebox'
import { maxNormalizedLength } from '../json/validation.js'
import { valueSetOf } from './examples.js'
import { type Coding, codingExample, Maybe, Strict, withExample } from './schemas.js'

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
      ...withExample(example)
    })
  const Reference = (description: string, example?: string) =>
    Type.String({ maxLength: 2048, description, ...withExample(example) })
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
    /** A coding, or its code when the field determines the set. Documented as the coding. */
    CodingOrCode,
    /** The same, documented as the code. */
    CodeOrCoding: (description: string, example: Coding) =>
      Type.Unsafe<CodingInput | string>({
        ...CodingOrCode(description, example),
        'x-documented-type': 'string',
        example: example.code
      }),
    /** A code of a closed set, which use cases compare without regard to case. */
    Code: (set: string, description: string, example: string, maxLength: number) =>
      Type.Unsafe<string>({ ...Text(description, example, maxLength), 'x-value-set': set }),
    Coding: (description: string, example?: Coding) =>
      Type.Unsafe<CodingInput>({
        title: 'CodingInput',
        type: 'object',
        properties: codingMembers,
        required: ['system', 'code'],
        additionalProperties: false,
        description,
        ...withExample(example)
      })
  }
}
export type InputSchemas = ReturnType<typeof inputSchemas>

function CodingOrCode(description: string, example: Coding) {
  return Type.Unsafe<CodingInput | string>({
    title: 'CodingOrCode',
    type: ['object', 'string'],
    maxLength: 255,
    properties: codingMembers,
    required: ['system', 'code'],
    additionalProperties: false,
    ...valueSetOf(example),
    description,
    example
  })
}

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
