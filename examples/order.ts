// An employee orders a device for a patient. TOKEN is the token of a MonitoringResponsible of
// aarhus-kommune.

import { catalogue, fail, order } from './connect.js'

const patient = 'https://fhir.example/Patient/asta-opdigtet'

const { data: me } = await order.getMe()
const [buyer = ''] = me.parties
const [monitor] = await catalogue.listCatalogueItem({ buyer, patient, q: 'blodtryksmåler overarm' }).all()
if (!monitor?.seller) fail('Nothing can be ordered. Create example data with npm run demo.')
const item = catalogue.urlOf('catalogue-item', monitor)

const answers = await order.checkOrderability({ buyer, patient, items: [item] })
for (const { reasons } of answers) for (const { detail } of reasons) console.log(detail)

const { id, url } = await order.createOrder({
  buyer,
  seller: monitor.seller,
  name: monitor.name,
  receiver: {
    ...{
      name: 'Asta Opdigtet',
      addressLine1: 'Eksempelvej 1',
      postalCode: '8000',
      postalDistrict: 'Aarhus C'
    },
    ...{ phone: '00 00 00 01', patient }
  },
  orderLines: [{ item, action: 'DELIVER' }]
})
await order.patchOrder(id, [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }])
console.log('submitted', url)

const { data: details } = await order.getOrderDetails(id)
for (const { timestamp, text } of details.traceLines) console.log(timestamp, text)
