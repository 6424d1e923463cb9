import { type Static, Type } from '@sinclair/typebox'
import { exampleCoding } from '../../platform/schemas/examples.js'
import { AnyCoding, Url } from '../../platform/schemas/schemas.js'

const example = exampleCoding('order-status', 'DRAFT', 'Draft')

export const PublicValueSet = Type.Object(
  {
    name: Type.String({ description: 'Name of the value set.', example: 'order-status' }),
    url: Url('URL of the value set. It identifies the set and is not an address.', example.system),
    codes: Type.Array(AnyCoding('A code of the value set.', example), {
      description: 'The codes, in the order of the value set.'
    })
  },
  { title: 'ValueSet', description: 'The codes of a coded member.' }
)
export type PublicValueSet = Static<typeof PublicValueSet>
