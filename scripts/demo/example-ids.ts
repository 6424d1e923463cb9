import { contractResource, partyResource } from '../../src/agreement/resources.js'
import { catalogueResource, itemResource } from '../../src/catalogue/resources.js'
import { exampleId } from '../../src/platform/schemas/examples.js'

/**
 * Ids of the parties by their keys, contracts by their names, catalogues and items by their numbers
 * that the examples of the documents name, so that these can be tried as they are.
 */
export const exampleIds: Readonly<Record<string, string>> = {
  aarhus: exampleId(partyResource, 'buyer'),
  maaneskaer: exampleId(partyResource, 'seller'),
  accounting: exampleId(partyResource, 'account'),
  'Rammeaftale om måleudstyr til hjemmemonitorering': exampleId(contractResource, 'frame'),
  'MM-KATALOG-1': exampleId(catalogueResource, 'devices'),
  'MM-101': exampleId(itemResource, 'device'),
  'MM-902': exampleId(itemResource, 'service'),
  'MM-103': exampleId(itemResource, 'oximeter')
}
