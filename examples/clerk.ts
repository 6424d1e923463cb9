// A clerk registers a buyer and chooses its items. TOKEN is the token of an AdministrativeClerk of
// aarhus-kommune.

import { catalogue, order } from './connect.js'

const { data: me } = await order.getMe()
const { url: buyer } = await order.createParty({
  allowedRoles: ['BUYER'],
  name: 'Odder Kommune',
  organization: me.organization ?? ''
})
const items = await catalogue.listCatalogueItem({ q: 'blodtryksmåler' }).all()
const urls = items.map((each) => catalogue.urlOf('catalogue-item', each))
await catalogue.createWhiteLists(urls.map((item) => ({ buyer, item })))
const value = { system: 'http://snomed.info/sct', code: '258057004' }
await catalogue.createAnnotations(
  urls.slice(0, 1).map((catalogueItem) => ({ catalogueItem, buyer, name: 'ehealth/device-type', value }))
)
console.log('listed', urls.length, 'items for', buyer)
