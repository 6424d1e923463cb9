import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { inputLimits } from '../json/input-limits.js'
import { maxNormalizedLength } from '../json/keywords.js'
import { valueSetOf } from './examples.js'
import { eachField, type Fields, type FieldValue } from './fields.js'
import { type Coding, codingExample, Maybe, Strict, withExample } from './schemas.js'

/** A text. `example` is for the documentation only. */
export const Text = (description: string, example?: string, maxLength = inputLimits.text) =>
  Type.String({
    maxLength,
    ...(maxLength === inputLimits.text ? { [maxNormalizedLength]: maxLength } : {}),
    description,
    ...withExample(example)
  })

/** A schema with the limits of {@link Text}, if its values are texts without a format. */
export const withTextLimit = <T extends TSchema>(schema: T): T =>
  schema.type === 'string' && schema.format === undefined
    ? { maxLength: inputLimits.text, [maxNormalizedLength]: inputLimits.text, ...schema }
    : schema

/** The members of the input for fields. Each may be absent or null. */
export const inputMembers = <F extends Fields>(fields: F) =>
  eachField(fields, ({ schema }) => Maybe(withTextLimit(schema))) as {
    [K in keyof F]: TOptional<TUnsafe<FieldValue<F[K]>>>
  }

export const Reference = (description: string, example?: string) =>
  Type.String({ maxLength: 2048, description, ...withExample(example) })

const IdentifierInput = Strict(
  {
    system: Text('Namespace of the value, a URI.', 'urn:oid:1.2.208.999.1'),
    value: Text(
      'The identifier itself. It is unique among the items of a catalogue, and not checked elsewhere.',
      'MM-101'
    ),
    assigner: Maybe(Text('Who assigned it.', 'Måneskær Medicoteknik ApS'))
  },
  'An identifier assigned by another party.',
  'IdentifierInput'
)

export const Identifiers = Maybe(
  Type.Array(IdentifierInput, {
    maxItems: inputLimits.list,
    description: 'Identifiers assigned by other parties.'
  })
)

/** A code of a closed set, which use cases compare without regard to case. */
export const Code = (set: string, description: string, example: string, maxLength: number) =>
  Type.Unsafe<string>({ ...Text(description, example, maxLength), 'x-value-set': set })

const codingMembers = {
  system: Reference('Code system, a URI.', codingExample.system),
  code: Text('Code within the system.', codingExample.code, 255),
  display: Maybe(
    Type.String({
      maxLength: 4000,
      description: 'Text for people; ignored on input.',
      example: codingExample.display
    })
  ),
  version: Maybe(Text('Version of the code system; ignored on input.', undefined, 255)),
  userSelected: Maybe(Type.Boolean({ description: 'Whether a person chose the code; ignored on input.' }))
}

export const CodingInput = (description: string, example?: Coding) => ({
  ...Strict(codingMembers, description, 'CodingInput'),
  ...withExample(example)
})

export type CodingInput = Static<ReturnType<typeof CodingInput>>

/** A coding, or its code when the field determines the set. Documented as the coding. */
export const CodingOrCode = (description: string, example: Coding) =>
  Type.Unsafe<CodingInput | string>({
    ...Strict(codingMembers, description, 'CodingOrCode'),
    type: ['object', 'string'],
    maxLength: 255,
    ...valueSetOf(example),
    example
  })

/** The same, documented as the code. */
export const CodeOrCoding = (description: string, example: Coding) =>
  Type.Unsafe<CodingInput | string>({
    ...CodingOrCode(description, example),
    'x-documented-type': 'string',
    example: example.code
  })
