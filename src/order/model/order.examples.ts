import { partyResource } from '../../agreement/resources.js'
import { itemResource } from '../../catalogue/resources.js'
import {
  exampleClinicalUrl,
  exampleCoding,
  exampleId,
  exampleMembers,
  exampleUrl
} from '../../platform/schemas/examples.js'
import { orderFields, receiverFields } from './order.fields.js'
import { orderLineResource, orderResource, traceLineResource } from './resources.js'
import { traceTexts } from './trace-texts.js'

/*
 * An order for the examples of the documentation. All names and addresses are fictitious.
 */

export const partiesExample = {
  buyer: exampleUrl(partyResource, 'buyer'),
  seller: exampleUrl(partyResource, 'seller')
}

export const numberExample = '7K3Q-9DM2'

export const identifierExample = {
  system: 'urn:oid:1.2.208.999.2',
  value: 'AAK-0001',
  assigner: 'Aarhus Kommune'
}

export const noteExample = {
  timestamp: '2026-03-02T08:14:25.117Z',
  authorName: 'Sofie Sygeplejerske',
  authorOrganization: 'Aarhus Kommune',
  note: 'Ring på hos naboen, hvis der ikke bliver åbnet.'
}

export const receiverExample = {
  name: 'Bo Opdigtet',
  ...exampleMembers(receiverFields),
  patient: exampleClinicalUrl('Patient', 'asta-opdigtet')
}

export const orderStatusExample = {
  draft: exampleCoding('order-status', 'DRAFT', 'Draft'),
  submitted: exampleCoding('order-status', 'SUBMITTED', 'Submitted')
}

export const lineExample = {
  order: exampleUrl(orderResource, 'monitor'),
  status: exampleCoding('order-line-status', 'SUBMITTED', 'Submitted'),
  initialStatus: exampleCoding('order-line-status', 'UNFULFILLED', 'Unfulfilled'),
  item: exampleUrl(itemResource, 'device'),
  action: exampleCoding('order-line-action', 'DELIVER', 'Delivery'),
  agreedFrom: '2026-03-05T09:00:00.000Z',
  agreedTo: '2026-03-05T11:00:00.000Z',
  performedAt: '2026-03-05T09:40:00.000Z'
}

/** The trace line of the order line, which was submitted with its order. */
export const traceLineExample = {
  id: exampleId(traceLineResource, 'line submitted'),
  timestamp: '2026-03-02T08:20:11.482Z',
  createdByOrganization: 'Aarhus Kommune',
  text: traceTexts['order-line-status-changed'],
  code: 'order-line-status-changed',
  supplementaryText: 'Old value: UNFULFILLED. New value: SUBMITTED.',
  order: lineExample.order,
  orderLine: exampleUrl(orderLineResource, 'monitor'),
  statusChange: {
    subject: exampleUrl(orderLineResource, 'monitor'),
    oldStatus: lineExample.initialStatus,
    newStatus: lineExample.status
  }
}

export const timesExample = {
  created: '2026-03-02T08:14:20.906Z',
  submitted: traceLineExample.timestamp,
  updated: traceLineExample.timestamp
}

const { initialStatus, performedAt, ...submittedLine } = lineExample

/** The order with its line and its trace lines. */
export const detailsExample = {
  order: {
    id: exampleId(orderResource, 'monitor'),
    identifiers: [identifierExample],
    ...exampleMembers(orderFields),
    status: orderStatusExample.submitted,
    priority: true,
    notes: [noteExample],
    ...partiesExample,
    receiver: receiverExample,
    number: numberExample,
    ...timesExample,
    allowedStatuses: ['CANCELLED']
  },
  orderLines: [{ id: exampleId(orderLineResource, 'monitor'), ...submittedLine }],
  traceLines: [traceLineExample]
}

const { order, ...others } = detailsExample

/** The same with the members of the order at the root. */
export const flatDetailsExample = { ...order, ...others }
