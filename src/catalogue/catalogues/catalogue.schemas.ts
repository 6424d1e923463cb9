import { type Static, Type } from '@sinclair/typebox'
import { partyResource } from '../../agreement/resources.js'
import { exampleCoding, exampleUrl } from '../../platform/schemas/examples.js'
import { CodeOrCoding, Identifiers, Reference, Text } from '../../platform/schemas/input-schemas.js'
import { CodingOf, Id, Identifier, Maybe, NoId, Strict, Url } from '../../platform/schemas/schemas.js'
import { catalogueResource } from '../resources.js'

const examples = {
  seller: exampleUrl(partyResource, 'seller'),
  name: 'Måleudstyr til hjemmet',
  status: exampleCoding('catalogue-status', 'ACTIVE', 'Active')
}

const members = {
  identifiers: Identifiers,
  seller: Reference('URL of the delivering party. It has the role SELLER.', examples.seller),
  name: Text('Name of the catalogue.', examples.name),
  status: Maybe(
    CodeOrCoding('DRAFT (default), ACTIVE or INACTIVE, as the code or as a Coding.', examples.status)
  )
}
export const CatalogueInput = Strict(
  { id: NoId, ...members },
  'A catalogue of the items that a provider delivers.',
  'CatalogueInput'
)

export type CatalogueInput = Omit<Static<typeof CatalogueInput>, 'id'>

export const Catalogue = Type.Object(
  {
    id: Id(catalogueResource, 'devices'),
    identifiers: Type.Array(Identifier, { description: 'Identifiers assigned by other systems.' }),
    seller: Url('URL of the delivering party.', examples.seller),
    name: Type.String({ description: 'Name of the catalogue.', example: examples.name }),
    status: CodingOf('DRAFT, ACTIVE or INACTIVE, from the value set catalogue-status.', examples.status)
  },
  { title: 'Catalogue', description: 'A catalogue of the items that a provider delivers.' }
)
export type Catalogue = Static<typeof Catalogue>
