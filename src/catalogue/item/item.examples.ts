import { partyResource } from '../../agreement/resources.js'
import { exampleCoding, exampleId, exampleMembers, exampleUrl } from '../../platform/schemas/examples.js'
import { catalogueResource, itemResource } from '../resources.js'
import { itemFields } from './item.fields.js'

/*
 * A device model and a service for the examples of the documentation, as in requests and responses.
 */

const assigner = 'Måneskær Medicoteknik ApS'
const catalogue = exampleUrl(catalogueResource, 'devices')

/** An annotation of the device model by a buyer. */
export const annotationExample = {
  buyer: exampleUrl(partyResource, 'buyer'),
  name: 'ehealth/device-type',
  value: {
    system: 'http://snomed.info/sct',
    code: '258057004',
    display: 'Non-invasive blood pressure monitor'
  }
}

const deviceMembers = {
  catalogueItemType: 'DeviceModel',
  identifiers: [{ system: 'urn:oid:1.2.208.999.1', value: 'MM-101', assigner }],
  catalogue,
  name: 'Blodtryksmåler til overarm',
  ...exampleMembers(itemFields.common),
  manufacturer: 'A&D Medical',
  model: 'UA-767',
  ...exampleMembers(itemFields.DeviceModel)
}

const serviceMembers = {
  catalogueItemType: 'Service',
  identifiers: [{ system: 'urn:oid:1.2.208.999.1', value: 'MM-902', assigner }],
  catalogue,
  name: 'Oplæring af borger i hjemmet',
  ...exampleMembers(itemFields.common),
  description: 'En time hos borgeren, efter aftale',
  relatedTo: exampleUrl(itemResource, 'device'),
  serviceType: exampleCoding('service-type', 'TRAINING', 'Training'),
  ...exampleMembers(itemFields.Service)
}

export const itemStatusExample = exampleCoding('catalogue-item-status', 'AVAILABLE', 'Available')
const status = itemStatusExample.code
export const deviceExample = { ...deviceMembers, status }
export const serviceExample = { ...serviceMembers, status }

export const deviceResponseExample = {
  id: exampleId(itemResource, 'device'),
  ...deviceExample
}
export const serviceResponseExample = {
  id: exampleId(itemResource, 'service'),
  ...serviceExample
}
