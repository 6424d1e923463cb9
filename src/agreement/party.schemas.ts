import { type Static, Type } from '@sinclair/typebox'
import { Id, type InputSchemas, Maybe, NoId, Nullable, Strict, Url } from '../platform/schemas.js'

const roles = ['BUYER', 'SELLER', 'ACCOUNTING'] as const
export type Role = (typeof roles)[number]

export function partySchemas({ Text, Reference }: InputSchemas) {
  const members = {
    allowedRoles: Type.Array(Text('BUYER, SELLER or ACCOUNTING.', 64), {
      minItems: 1,
      maxItems: 10,
      description: 'Roles that the party may have in contracts and orders.'
    }),
    name: Text('Name of the party.'),
    email: Maybe(Text('Address for e-mail.')),
    organization: Reference('URL of the clinical Organization. It never changes.')
  }
  return {
    PartyInput: Strict({ id: NoId, ...members }, 'A legal party that buys, sells or pays.'),
    PartyReplacement: Strict({ id: Maybe(Text('Id of the party.')), ...members }, 'A party, whole.')
  }
}
export type PartyInput = Omit<Static<ReturnType<typeof partySchemas>['PartyInput']>, 'id'>

export const Party = Type.Object(
  {
    id: Id,
    allowedRoles: Type.Array(Type.String(), { description: 'BUYER, SELLER, ACCOUNTING.' }),
    name: Type.String({ description: 'Name of the party.' }),
    email: Nullable(Type.String({ description: 'Address for e-mail.' })),
    organization: Url('URL of the clinical Organization.')
  },
  { description: 'A legal party that buys, sells or pays.' }
)
export type Party = Static<typeof Party>
