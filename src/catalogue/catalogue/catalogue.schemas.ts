import { type Static, Type } from '@sinclair/typebox'
import { partyKind } from '../../agreement/resources.js'
import { exampleCoding, exampleId, exampleUrl } from '../../platform/schemas/examples.js'
import {
  CodingOf,
  Id,
  Identifier,
  type InputSchemas,
  Maybe,
  NoId,
  Strict,
  Url
} from '../../platform/schemas/schemas.js'
import { catalogueKind } from '../resources.js'

const samples = {
  seller: exampleUrl(partyKind, 'seller'),
  name: 'Måleudstyr til hjemmet',
  status: exampleCoding('catalogue-status', 'ACTIVE', 'Active')
}

export function catalogueSchemas({ Text, Reference, Identifiers, CodingOrCode }: InputSchemas) {
  const members = {
    identifiers: Identifiers,
    seller: Reference('URL of the party that delivers; it has the role SELLER.', samples.seller),
    name: Text('Name of the catalogue.', samples.name),
    status: Maybe(
      CodingOrCode('DRAFT (default), ACTIVE or INACTIVE; as a Coding or as the bare code.', samples.status)
    )
  }
  return {
    CatalogueInput: Strict({ id: NoId, ...members }, 'A list of what a provider delivers.', 'CatalogueInput'),
    CatalogueReplacement: Strict(
      { id: Maybe(Text('Id of the catalogue.', exampleId(catalogueKind, 'devices'))), ...members },
      'A catalogue, whole.',
      'CatalogueReplacement'
    )
  }
}
export type CatalogueInput = Omit<Static<ReturnType<typeof catalogueSchemas>['CatalogueInput']>, 'id'>

export const Catalogue = Type.Object(
  {
    id: Id(catalogueKind, 'devices'),
    identifiers: Type.Array(Identifier, { description: 'Identifiers given by others.' }),
    seller: Url('URL of the party that delivers.', samples.seller),
    name: Type.String({ description: 'Name of the catalogue.', example: samples.name }),
    status: CodingOf('DRAFT, ACTIVE or INACTIVE, of the value set catalogue-status.', samples.status)
  },
  { title: 'Catalogue', description: 'A list of what a provider delivers.' }
)
export type Catalogue = Static<typeof Catalogue>
