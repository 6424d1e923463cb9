import { type Static, Type } from '@sinclair/typebox'
import { Coding, Id, Identifier, type InputSchemas, Maybe, NoId, Strict, Url } from '../platform/schemas.js'

export function catalogueSchemas({ Text, Reference, Identifiers, CodingOrCode }: InputSchemas) {
  const members = {
    identifiers: Identifiers,
    seller: Reference('URL of the party that delivers.'),
    name: Text('Name of the catalogue.'),
    status: Maybe(CodingOrCode('DRAFT (default), ACTIVE or INACTIVE; as a Coding or as the bare code.'))
  }
  return {
    CatalogueInput: Strict({ id: NoId, ...members }, 'A list of what a provider delivers.'),
    CatalogueReplacement: Strict(
      { id: Maybe(Text('Id of the catalogue.')), ...members },
      'A catalogue, whole.'
    )
  }
}
export type CatalogueInput = Omit<Static<ReturnType<typeof catalogueSchemas>['CatalogueInput']>, 'id'>

export const Catalogue = Type.Object(
  {
    id: Id,
    identifiers: Type.Array(Identifier, { description: 'Identifiers given by others.' }),
    seller: Url('URL of the party that delivers.'),
    name: Type.String({ description: 'Name of the catalogue.' }),
    status: Coding
  },
  { description: 'A list of what a provider delivers.' }
)
export type Catalogue = Static<typeof Catalogue>
