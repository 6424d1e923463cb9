import { type Static, Type } from '@sinclair/typebox'
import { exampleClinicalUrl } from '../platform/schemas/examples.js'
import { Code, Reference, Text } from '../platform/schemas/input-schemas.js'
import { CodeOf, Id, Maybe, NoId, Nullable, Strict, Url } from '../platform/schemas/schemas.js'
import { partyResource } from './resources.js'

const roles = ['BUYER', 'SELLER', 'ACCOUNTING'] as const
export type Role = (typeof roles)[number]

const examples = {
  name: 'Aarhus Kommune',
  email: 'hjemmesygeplejen@aarhus.example',
  organization: exampleClinicalUrl('Organization', 'aarhus-kommune')
}

const members = {
  allowedRoles: Type.Array(Code('party-role', 'BUYER, SELLER or ACCOUNTING.', 'BUYER', 64), {
    minItems: 1,
    maxItems: 10,
    description: 'Roles that the party may have in contracts and orders.'
  }),
  name: Text('Name of the party.', examples.name),
  email: Maybe(Text('E-mail address.', examples.email)),
  organization: Reference('URL of the clinical Organization. It cannot change.', examples.organization)
}
export const PartyInput = Strict(
  { id: NoId, ...members },
  'A legal entity that buys, sells or pays.',
  'PartyInput'
)

export type PartyInput = Omit<Static<typeof PartyInput>, 'id'>

export const Party = Type.Object(
  {
    id: Id(partyResource, 'buyer'),
    allowedRoles: Type.Array(CodeOf(roles, 'BUYER, SELLER or ACCOUNTING.', 'BUYER'), {
      description: 'Roles that the party may have in contracts and orders.'
    }),
    name: Type.String({ description: 'Name of the party.', example: examples.name }),
    email: Nullable(Type.String({ description: 'E-mail address.', example: examples.email })),
    organization: Url('URL of the clinical Organization.', examples.organization)
  },
  { title: 'Party', description: 'A legal entity that buys, sells or pays.' }
)
export type Party = Static<typeof Party>
