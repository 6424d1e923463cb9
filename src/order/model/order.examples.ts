import { partyKind } from '../../agreement/resources.js'
import { itemKind } from '../../catalogue/resources.js'
import { exampleClinicalUrl, exampleCoding, exampleId, exampleUrl } from '../../platform/schemas/examples.js'
import { orderKind, orderLineKind, traceLineKind } from './resources.js'

/*
 * An order for the examples of the documentation. Nobody has these names, nobody lives at these addresses.
 */

export const partiesSample = {
  buyer: exampleUrl(partyKind, 'buyer'),
  seller: exampleUrl(partyKind, 'seller')
}

export const identifierSample = {
  system: 'urn:oid:1.2.208.999.2',
  value: 'AAK-0001',
  assigner: 'Aarhus Kommune'
}

export const noteSample = {
  timestamp: '2026-03-02T08:14:25.117Z',
  authorName: 'Sofie Sygeplejerske',
  authorOrganization: 'Aarhus Kommune',
  note: 'Ring på hos naboen, hvis der ikke bliver åbnet.'
}

export const receiverSample = {
  name: 'Asta Opdigtet',
  addressLine1: 'Eksempelvej 1',
  addressLine2: '1. tv.',
  postalCode: '8000',
  postalDistrict: 'Aarhus C',
  email: 'asta@borger.example',
  phone: '00 00 00 01',
  patient: exampleClinicalUrl('Patient', 'asta-opdigtet')
}

export const orderStatusSample = {
  draft: exampleCoding('order-status', 'DRAFT', 'Draft'),
  submitted: exampleCoding('order-status', 'SUBMITTED', 'Submitted')
}

export const lineSample = {
  order: exampleUrl(orderKind, 'monitor'),
  status: exampleCoding('order-line-status', 'SUBMITTED', 'Submitted'),
  initialStatus: exampleCoding('order-line-status', 'UNFULFILLED', 'Unfulfilled'),
  item: exampleUrl(itemKind, 'device'),
  action: exampleCoding('order-line-action', 'DELIVER', 'Delivery')
}

/** The submission of the order, as its trace tells it. */
export const traceSample = {
  id: exampleId(traceLineKind, 'order submitted'),
  timestamp: '2026-03-02T08:20:11.482Z',
  createdByOrganization: 'Aarhus Kommune',
  text: 'Order status changed.',
  supplementaryText: 'Old value: DRAFT. New value: SUBMITTED.',
  order: lineSample.order,
  orderLine: null,
  statusChange: {
    subject: lineSample.order,
    oldStatus: orderStatusSample.draft,
    newStatus: orderStatusSample.submitted
  }
}

/** What happened to the line along with it. */
const lineTraceSample = {
  ...traceSample,
  id: exampleId(traceLineKind, 'line submitted'),
  text: 'Order line status changed.',
  supplementaryText: 'Old value: UNFULFILLED. New value: SUBMITTED.',
  orderLine: exampleUrl(orderLineKind, 'monitor'),
  statusChange: {
    subject: exampleUrl(orderLineKind, 'monitor'),
    oldStatus: lineSample.initialStatus,
    newStatus: lineSample.status
  }
}

/** The order with its line and its trace. */
export const detailsSample = {
  order: {
    id: exampleId(orderKind, 'monitor'),
    identifiers: [identifierSample],
    name: 'Blodtryksmåler med oplæring',
    status: orderStatusSample.submitted,
    priority: true,
    notes: [noteSample],
    ...partiesSample,
    receiver: receiverSample
  },
  orderLines: [
    {
      id: exampleId(orderLineKind, 'monitor'),
      order: lineSample.order,
      status: lineSample.status,
      item: lineSample.item,
      action: lineSample.action
    }
  ],
  traceLines: [traceSample, lineTraceSample]
}
