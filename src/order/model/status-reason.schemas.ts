import { type Static, Type } from '@sinclair/typebox'
import { exampleCoding } from '../../platform/schemas/examples.js'
import { CodingOrCode, Text } from '../../platform/schemas/input-schemas.js'
import { CodingOf, Maybe, Nullable, NullOnly, Strict } from '../../platform/schemas/schemas.js'

/** Maximum characters of the text. */
const MAX_REASON_LENGTH = 500

const reasonCodeExample = exampleCoding('order-status-reason', 'OUT_OF_STOCK', 'Out of stock')
const textExample = 'Tilbage på lager i uge 12.'
const description = 'The reason of the status, as a code, a text or both.'

/** The reason in the result of a JSON Patch. */
export const StatusReasonInput = Maybe(
  Strict({
    code: Maybe(CodingOrCode('Code of the value set order-status-reason, or its Coding.', reasonCodeExample)),
    text: Maybe(Text('Text for people.', textExample, MAX_REASON_LENGTH))
  })
)
export type StatusReasonInput = Static<typeof StatusReasonInput>

const Reason = Type.Object(
  {
    code: Nullable(CodingOf('Reason, from the value set order-status-reason.', reasonCodeExample)),
    text: Nullable(Type.String({ description: 'Text for people.', example: textExample }))
  },
  { title: 'StatusReason', description }
)
export type StatusReason = Static<typeof Reason>

/** The reason in a resource, which is always present although clients need not rely on it. */
export const StatusReasonMember = Type.Optional(Nullable(Reason))

/** In the input of a new resource. */
export const NoReason = NullOnly('Only a transition can have a reason.')
